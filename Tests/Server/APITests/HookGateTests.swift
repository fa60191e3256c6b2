import ChatDomain
import ChatEngine
import ChatModel
import Dispatch
import Gateway
import Glibc
import Synchronization
import Testing

@testable import API

/// A hook whose verdicts the test gives.
private final class Oracle: HookPort {
    private let asked = Mutex<[(body: String, done: @Sendable (HookVerdict) -> Void)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func ask(_ target: HookTarget, _ body: [UInt8], _ done: @escaping @Sendable (HookVerdict) -> Void) {
        asked.withLock { $0.append((String(decoding: body, as: UTF8.self), done)) }
        arrived.signal()
    }

    var count: Int { asked.withLock(\.count) }

    /// Waits for a question with this text, and answers it.
    @discardableResult
    func answer(_ verdict: HookVerdict, to text: String = "") -> String {
        while true {
            let question = asked.withLock { asked in
                asked.firstIndex { text.isEmpty || $0.body.contains(text) }.map { asked.remove(at: $0) }
            }
            if let (body, done) = question {
                done(verdict)
                return body
            }
            guard arrived.wait(timeout: .now() + .seconds(10)) == .success else { return "nothing" }
        }
    }
}

/// Covers `MO4`: who waits, and what becomes of a command.
@Suite struct HookGateTests {
    private let oracle = Oracle()
    private let desk = Desk()
    private let table: CommandTable

    init() {
        table = CommandTable(engine: desk.engine(), hooks: HookGate(oracle))
        for user in ["ann", "bob"] {
            did("user.upsert", #"{"id":"\#(user)"}"#, .server)
        }
        for channel in ["a", "b", "c"] {
            did("channel.create", #"{"id":"\#(channel)","user_ids":["ann","bob"]}"#, .server)
        }
        set()
    }

    private func set(onFailure: String = "refuse") {
        did(
            "hook.set",
            #"{"url":"https://a.example","secret":"0123456789abcdef01234567","on_failure":"\#(onFailure)"}"#, .server)
    }

    private func did(_ method: String, _ body: String, _ sender: Caller) {
        #expect(table.refusal(method, body, by: sender) == nil)
        let answer = desk.next()
        #expect(answer.hasPrefix("{"), "\(method): \(answer)")
    }

    /// Starts a message.
    private func says(_ text: String, in channel: String = "a", _ user: UserID = "ann") {
        #expect(
            table.refusal("message.send", #"{"channel_id":"\#(channel)","text":"\#(text)"}"#, by: .user(user)) == nil)
    }

    @Test func `MO4: the hook accepts a text, refuses it with a reason, or replaces it`() {
        says("one")
        let question = oracle.answer(.allow)
        #expect(question.contains(#""type":"message.send""#) && question.contains(#""text":"one""#))
        #expect(desk.next().contains(#""text":"one""#))
        says("two")
        oracle.answer(.replace(text: "2"))
        #expect(desk.next().contains(#""text":"2""#))
        for reason in ["", "rude"] {
            says("three")
            oracle.answer(.refuse(reason: reason))
            #expect(desk.next() == "1050")
        }
    }

    @Test(arguments: ["allow", "refuse"])
    func `MO4: without a valid answer the text is accepted or refused, as the app has set`(onFailure: String) {
        set(onFailure: onFailure)
        says("one")
        oracle.answer(.failed)
        #expect(desk.next().contains(#""text":"one""#) == (onFailure == "allow"))
        says("two")
        oracle.answer(.overloaded)
        #expect(desk.next() == "111")
        // A file has no text that could be replaced.
        let file = #"{"channel_id":"a","kind":"file","files":[{"url":"https://a.example/b"}]}"#
        #expect(table.refusal("message.send", file, by: .user(ann)) == nil)
        oracle.answer(.replace(text: "x"))
        #expect(desk.next().contains(#""kind":"file""#) == (onFailure == "allow"))
    }

    @Test func `MO4: only the sender's later commands in the channel wait, and their order stays`() {
        says("first")
        says("second")
        #expect(table.refusal("message.list", #"{"channel_id":"a"}"#, by: .user(ann)) == nil)
        // Others, and the sender elsewhere, do not wait.
        did("message.list", #"{"channel_id":"a"}"#, .user("bob"))
        did("message.list", #"{"channel_id":"b"}"#, .user(ann))
        did("channel.list", "{}", .user(ann))
        did("message.list", #"{"channel_id":"a"}"#, .server)
        says("elsewhere", in: "b")
        says("of bob", in: "a", "bob")
        oracle.answer(.refuse(reason: ""), to: "elsewhere")
        #expect(desk.next() == "1050")
        oracle.answer(.allow, to: "of bob")
        #expect(desk.next().contains("of bob"))
        #expect(oracle.count == 1)
        oracle.answer(.allow, to: "first")
        #expect(desk.next().contains("first"))
        oracle.answer(.allow, to: "second")
        #expect(desk.next().contains("second"))
        let list = desk.next()
        #expect(list.contains("first") && list.contains("second") && !list.contains("elsewhere"))
    }

    @Test func `MO4: what is refused anyway is refused without asking the hook, and does not hold up the rest`() {
        #expect(table.refusal("message.send", #"{"channel_id":"nowhere","text":"x"}"#, by: .user(ann)) == nil)
        #expect(desk.next() == "1000")
        #expect(table.refusal("message.send", #"{"channel_id":"a","text":7}"#, by: .user(ann))?.code == .badRequest)
        says("x")
        #expect(table.refusal("message.send", #"{"channel_id":"a","text":7}"#, by: .user(ann)) == nil)
        oracle.answer(.allow)
        let answers = [desk.next(), desk.next()]
        #expect(answers.contains("107") && answers.contains { $0.contains(#""text":"x""#) })
        #expect(oracle.count == 0)
    }

    @Test func `MO4: everything is checked again when the hook has answered`() {
        says("one")
        while oracle.count == 0 { usleep(1_000) }
        did("channel.freeze", #"{"channel_id":"a"}"#, .server)
        oracle.answer(.allow)
        #expect(desk.next() == "1005")
    }

    @Test func `MO4: commands that wait go on when the hook is removed`() {
        says("one")
        says("two")
        did("hook.set", "{}", .server)
        oracle.answer(.allow)
        #expect(desk.next().contains("one"))
        #expect(desk.next().contains("two"))
        says("three")
        #expect(desk.next().contains("three"))
        #expect(oracle.count == 0)
    }

    @Test func `MO4: edits and titles are asked about as well, but not what the app itself sends`() {
        did("message.send", #"{"channel_id":"a","text":"app"}"#, .server)
        let send = #"{"as_user_id":"ann","channel_id":"a","text":"by key"}"#
        #expect(table.refusal("message.send", send, by: .server) == nil)
        #expect(oracle.answer(.allow).contains("by key"))
        let answer = desk.next()
        let id =
            answer.split(separator: #""id":""#).map { String($0.prefix(36)) }.first {
                $0.count == 36 && $0.contains("-")
            } ?? ""
        let edit = #"{"channel_id":"a","message_id":"\#(id)","text":"edited"}"#
        #expect(table.refusal("message.update", edit, by: .user(ann)) == nil)
        #expect(oracle.answer(.replace(text: "clean")).contains(#""type":"message.update""#))
        #expect(desk.next().contains(#""text":"clean""#))
        let title = #"{"channel_id":"a","parent_message_id":"\#(id)","title":"title"}"#
        #expect(table.refusal("thread.update", title, by: .user(ann)) == nil)
        #expect(oracle.answer(.replace(text: "other")).contains(#""type":"thread.update""#))
        #expect(desk.next().contains(#""title":"other""#))
    }

    @Test func `MO4: one user can have only so many commands under way, which others do not notice`() {
        var limits = HookGate.Limits()
        (limits.lanesPerUser, limits.commandsPerUser, limits.bytesPerUser) = (2, 3, 1_000)
        let table = CommandTable(engine: table.engine, hooks: HookGate(oracle, limits: limits))
        func start(_ body: String, _ user: UserID = "ann") -> ErrorCode? {
            table.refusal("message.send", body, by: .user(user))?.code
        }
        func message(_ channel: String, _ text: String = "x") -> String {
            #"{"channel_id":"\#(channel)","text":"\#(text)"}"#
        }
        #expect(start(message("a")) == nil && start(message("b")) == nil)
        #expect(start(message("c")) == .tooManyRequests)
        for _ in 0..<3 { #expect(start(message("a")) == nil) }
        #expect(start(message("b")) == .tooManyRequests)
        #expect(start(message("a"), "bob") == nil)
        for _ in 0..<6 {
            oracle.answer(.allow)
            #expect(desk.next().contains(#""text":"x""#))
        }
        #expect(start(message("a")) == nil)
        #expect(start(message("a", String(repeating: "y", count: 1_000))) == .tooManyRequests)
        oracle.answer(.allow)
        #expect(desk.next().contains(#""text":"x""#))
        #expect(start(message("c")) == nil)
        oracle.answer(.allow)
        #expect(desk.next().contains(#""text":"x""#))
    }

    @Test func `MO4: a server without anyone to ask the hook does as the app has set`() {
        let table = CommandTable(engine: table.engine)
        #expect(table.refusal("message.send", #"{"channel_id":"a","text":"x"}"#, by: .user(ann)) == nil)
        #expect(desk.next() == "1050")
    }
}
