import ChatDomain
import ChatModel
import CoreMetrics
import Dispatch
import Foundation
import Gateway
import Journal
import Synchronization
import Testing
import WireProtocol

@testable import API
@testable import ChatEngine

/// A client on a node that follows gets the answer that the deciding node has for it, to the byte.
@Suite struct RelayedAnswerTests {
    /// A clock that shows a later time to every command.
    private final class Now: Sendable {
        private let milliseconds = Atomic<Int64>(1_780_000_000_000)
        func next() -> Int64 { milliseconds.add(1_000, ordering: .relaxed).newValue }
    }

    /// An engine with its commands.
    private final class Node: Sendable {
        let log: FollowedLog
        let engine: ChatEngine
        let table: CommandTable

        init(isFollower: Bool) throws {
            let queue = DispatchQueue(label: "log")
            log = FollowedLog(queue: queue, isFollower: isFollower)
            var settings = ChatSettings()
            settings.guests.isEnabled = true
            // 20 of one address.
            settings.guests.limit = 100
            let publisher = Publisher(
                queue: queue, ports: [], rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance)
            let now = Now()
            engine = ChatEngine(
                log: log, publisher: publisher, ports: [], settings: settings, metrics: NOOPMetricsHandler.instance,
                clock: {
                    // The follower's clock is an hour behind.
                    isFollower ? now.next() - 3_600_000 : now.next()
                })
            table = CommandTable(engine: engine)
        }

        func settle() {
            let done = DispatchSemaphore(value: 0)
            engine.barrier { done.signal() }
            _ = done.wait(timeout: .now() + .seconds(60))
        }
    }

    /// What a node sends to the one that decides.
    private final class Port: ClusterPort {
        let relayed = Mutex<[RelayedCommand]>([])
        func relay(_ command: RelayedCommand) { relayed.withLock { $0.append(command) } }
        func restartRelay(_ commands: [RelayedCommand], in term: UInt64) {}
        func forgetRelayed(through serial: UInt64) {}
        func keep(_ answer: [UInt8]) {}
        func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void) { done(nil) }
        func share(_ news: ClusterNews) {}
        func presenceChanged(_ user: UserID, isConnected: Bool) {}
        let checksums = EventChecksums(after: 0)
        let isTermCurrent = true
        func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void) { done() }
        func tellProgress() {}
    }

    private final class Scene {
        let writer: Node
        let follower: Node
        private let port = Port()
        private let origin: NodeID
        private var messages: [String] = []
        private var report = ""

        init() throws {
            writer = try Node(isFollower: false)
            follower = try Node(isFollower: true)
            follower.engine.join(port)
            origin = try #require(NodeID(name: "ann", start: 1))
        }

        /// A client of the follower calls a command.
        ///
        /// - Returns: The answers of the follower and of the writer.
        func call(_ method: String, _ body: String, by sender: Caller) throws -> (String, String) {
            var body = body
            for (index, id) in messages.enumerated() { body.replace("@\(index + 1)\"", with: "\(id)\"") }
            if let last = messages.last { body.replace("@last", with: last) }
            body.replace("@report", with: report)
            let answer = try run { address in
                try follower.table.start(method, Array(body.utf8)[...], by: sender, answerTo: address)
            }
            if method == SendMessage.method, let json = try? JSONFields(Array(answer.0.utf8)),
                let id = try? json.object("message")?.string("id")
            {
                messages.append(id)
            }
            if method == CreateReport.method, let json = try? JSONFields(Array(answer.0.utf8)),
                let id = try? json.object("report")?.string("id")
            {
                report = id
            }
            return answer
        }

        func run(_ start: (ReturnAddress) throws -> Void) throws -> (String, String) {
            let result = Mutex<String?>(nil)
            try start(ReturnAddress { answer in result.withLock { $0 = FollowedLog.words(answer) } })
            follower.settle()
            let sent = port.relayed.withLock { relayed in
                defer { relayed = [] }
                return relayed
            }
            let command = try #require(sent.first)
            #expect(sent.count == 1)
            let remote = RemoteCommand(CommandOrigin(node: origin, serial: command.serial), term: 1) { _ in }
            writer.table.execute(command, answerTo: ReturnAddress(remote, guestOrigin: command.guestOrigin))
            writer.settle()
            writer.settle()
            follower.engine.follow(writer.log.newFrames()) {
                if case .failure(let reason) = $0 { Issue.record(reason) }
            }
            follower.settle()
            for _ in 0..<6_000 where result.withLock({ $0 == nil }) { usleep(10_000) }
            return (result.withLock(\.self) ?? "no answer", writer.log.answers.last ?? "no answer")
        }
    }

    private struct Step {
        let user: String
        let method: String
        let data: String
        init(_ user: String, _ method: String, _ data: String) {
            (self.user, self.method, self.data) = (user, method, data)
        }
    }

    /// `@n` is the id of the n-th sent message, from 1; `@last` is the last one's, `@report` the last report's. The user `app` is a server key.
    private let script: [Step] = [
        Step("app", "user.upsert", #"{"id":"cat","nickname":"Cat","metadata":{"a":"b"}}"#),
        Step("app", "user.upsert_many", #"{"users":[{"id":"dan"},{"id":"cat","nickname":"Kitty"}]}"#),
        Step("app", "user.upsert_many", #"{"users":[{"id":"eve"},{"id":"eve"}]}"#),
        Step("ann", "user.preferences", #"{"auto_accept_invitations":true,"push":"mention_only"}"#),
        Step("bob", "user.register_device", #"{"provider":"fcm","token":"t1"}"#),
        Step("bob", "user.unregister_device", #"{"provider":"fcm","token":"t1"}"#),
        Step("ann", "channel.create", #"{"name":"Generated","user_ids":["bob"]}"#),
        Step(
            "ann", "channel.create",
            #"{"id":"general","is_public":true,"operator_user_ids":["ann"],"user_ids":["bob"]}"#),
        Step("ann", "channel.create", #"{"is_distinct":true,"user_ids":["bob"]}"#),
        Step("bob", "channel.create", #"{"is_distinct":true,"user_ids":["ann"]}"#),
        Step("app", "channel.upsert_many", #"{"channels":[{"id":"tea","user_ids":["ann"]},{"id":"general"}]}"#),
        Step("new", "channel.join", #"{"channel_id":"general"}"#),
        Step("newer", "channel.join", #"{"channel_id":"nowhere"}"#),
        Step("newer", "channel.join", #"{"channel_id":"general"}"#),
        Step("newest", "user.preferences", #"{"auto_accept_invitations":false}"#),
        Step("newer", "channel.leave", #"{"channel_id":"general"}"#),
        Step("cat", "user.preferences", #"{"auto_accept_invitations":false}"#),
        Step("ann", "channel.invite", #"{"channel_id":"general","user_ids":["cat","dan","nobody"]}"#),
        Step("ann", "channel.invite", #"{"channel_id":"general","user_ids":["cat","dan","eve"]}"#),
        Step("cat", "channel.accept", #"{"channel_id":"general"}"#),
        Step("ann", "channel.invite", #"{"channel_id":"tea","user_ids":["cat"]}"#),
        Step("cat", "channel.decline", #"{"channel_id":"tea"}"#),
        Step("app", "member.add", #"{"channel_id":"general","user_ids":["cat","bob","eve"]}"#),
        Step("app", "channel.set_retention", #"{"channel_id":"general","max_messages":1000}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"hello","client_id":"a1"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"hello","client_id":"a1"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"other","client_id":"a1"}"#),
        Step("bob", "message.send", #"{"channel_id":"general","text":"hi","parent_message_id":"@1"}"#),
        Step("third", "message.send", #"{"channel_id":"general","text":"no"}"#),
        Step("ann", "message.update", #"{"channel_id":"general","message_id":"@1","text":"hello!","data":"{}"}"#),
        Step("bob", "message.update", #"{"channel_id":"general","message_id":"@1","text":"mine"}"#),
        Step("ann", "reaction.add", #"{"channel_id":"general","message_id":"@1","key":"sob"}"#),
        Step("bob", "reaction.add", #"{"channel_id":"general","message_id":"@1","key":"sob"}"#),
        Step("bob", "reaction.add", #"{"channel_id":"general","message_id":"@1","key":"sob"}"#),
        Step("bob", "reaction.remove", #"{"channel_id":"general","message_id":"@1","key":"sob"}"#),
        Step("ann", "thread.update", #"{"channel_id":"general","parent_message_id":"@1","title":"Greetings"}"#),
        Step("ann", "thread.mark_read", #"{"channel_id":"general","parent_message_id":"@1"}"#),
        Step("ann", "thread.mark_unread", #"{"channel_id":"general","parent_message_id":"@1","message_id":"@3"}"#),
        Step("bob", "read.mark", #"{"channel_id":"general"}"#),
        Step("bob", "read.mark", #"{"channel_id":"general"}"#),
        Step("bob", "read.mark_unread", #"{"channel_id":"general","message_id":"@1"}"#),
        Step("bob", "read.mark_all", "{}"),
        Step("reader", "read.mark_all", "{}"),
        Step("ann", "channel.set_push", #"{"channel_id":"general","push":"off"}"#),
        Step("ann", "channel.set_metadata", #"{"channel_id":"general","metadata":{"a":"1","b":"2"}}"#),
        Step("ann", "channel.delete_metadata", #"{"channel_id":"general","keys":["a"]}"#),
        Step("ann", "channel.update", #"{"channel_id":"general","name":"General","data":"d"}"#),
        Step("bob", "channel.update", #"{"channel_id":"general","name":"Mine"}"#),
        Step("ann", "channel.freeze", #"{"channel_id":"general"}"#),
        Step("bob", "message.send", #"{"channel_id":"general","text":"x"}"#),
        Step("ann", "channel.unfreeze", #"{"channel_id":"general"}"#),
        Step("bob", "channel.hide", #"{"channel_id":"general"}"#),
        Step("bob", "channel.unhide", #"{"channel_id":"general"}"#),
        Step("bob", "channel.reset_history", #"{"channel_id":"general"}"#),
        Step("ann", "operator.add", #"{"channel_id":"general","user_ids":["bob"]}"#),
        Step("ann", "operator.remove", #"{"channel_id":"general","user_ids":["bob"]}"#),
        Step("ann", "member.mute", #"{"channel_id":"general","user_id":"bob","seconds":3600,"description":"loud"}"#),
        Step("ann", "member.unmute", #"{"channel_id":"general","user_id":"bob"}"#),
        Step("ann", "member.ban", #"{"channel_id":"general","user_id":"bob","seconds":60}"#),
        Step("ann", "member.unban", #"{"channel_id":"general","user_id":"bob"}"#),
        Step("ann", "member.remove", #"{"channel_id":"general","user_id":"nobody"}"#),
        Step("ann", "member.remove", #"{"channel_id":"general","user_id":"cat"}"#),
        Step("app", "member.add", #"{"channel_id":"general","user_ids":["cat"]}"#),
        Step("bob", "user.block", #"{"user_id":"cat"}"#),
        Step("bob", "user.block", #"{"user_id":"bob"}"#),
        Step("bob", "user.unblock", #"{"user_id":"cat"}"#),
        Step("app", "app.mute", #"{"user_id":"cat","seconds":60}"#),
        Step("cat", "message.send", #"{"channel_id":"general","text":"x"}"#),
        Step("app", "app.unmute", #"{"user_id":"cat"}"#),
        Step("app", "app.ban", #"{"user_id":"cat","description":"spam"}"#),
        Step("cat", "message.send", #"{"channel_id":"general","text":"x"}"#),
        Step("app", "app.unban", #"{"user_id":"cat"}"#),
        Step("app", "text_rule.set", #"{"rules":[{"id":"r","words":["bad"],"action":"refuse"}]}"#),
        Step("app", "text_rule.set", #"{"rules":[{"id":"r","pattern":"(","action":"mask"}]}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"b\u200bad"}"#),
        Step("app", "text_rule.delete", #"{"ids":["r","other"]}"#),
        Step("app", "role.set", #"{"role":"member","permissions":["send"]}"#),
        Step("cat", "reaction.add", #"{"channel_id":"general","message_id":"@1","key":"sob"}"#),
        Step("app", "role.set", #"{"role":"member"}"#),
        Step("ann", "operator.remove_all", #"{"channel_id":"general"}"#),
        Step("ann", "message.delete", #"{"channel_id":"general","message_id":"@1"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"bye"}"#),
        Step("ann", "message.delete", #"{"channel_id":"general","message_id":"@last"}"#),
        Step("ann", "report.create", #"{"category":"spam","channel_id":"general","user_id":"cat"}"#),
        Step("app", "report.resolve", #"{"report_id":"@report","note":"muted"}"#),
        Step("app", "report.resolve", #"{"report_id":"@report"}"#),
        Step("app", "report.delete", #"{"report_id":"@report"}"#),
        Step("ann", "report.create", #"{"category":"spam","channel_id":"general","user_id":"cat"}"#),
        Step("app", "report.dismiss", #"{"report_id":"@report"}"#),
        Step("app", "emoji.create", #"{"key":"party","character":"x"}"#),
        Step("app", "emoji.delete", #"{"key":"party"}"#),
        Step(
            "app", "webhook.set",
            #"{"id":"a","url":"https://a.example","events":"*","secret":"0123456789abcdef01234567"}"#),
        Step("app", "webhook.delete", #"{"id":"a"}"#),
        Step(
            "app", "hook.set",
            #"{"url":"https://a.example","on_failure":"allow","secret":"0123456789abcdef01234567"}"#),
        Step("app", "hook.set", #"{"secret":"0123456789abcdef01234567"}"#),
        Step("ann", "message.send", #"{"channel_id":"general","text":"asked in vain"}"#),
        Step("app", "hook.set", "{}"),
        Step("app", "settings.update", #"{"reactions":false}"#),
        Step("app", "settings.update", #"{"reactions":true}"#),
        Step("app", "import.begin", #"{"import_id":"i","source":"s"}"#),
        Step(
            "app", "import.add",
            #"{"import_id":"i","first_line":1,"lines":[{"type":"channel","channel":{"id":"old","created_at":1}}]}"#),
        Step("app", "import.add", #"{"import_id":"i","first_line":2,"lines":[{"type":"member"}]}"#),
        Step("app", "import.finish", #"{"import_id":"i"}"#),
        Step("app", "user.disconnect", #"{"user_id":"bob"}"#),
        Step("app", "user.revoke_tokens", #"{"user_id":"bob","before":1780000000}"#),
        Step("app", "user.deactivate", #"{"user_id":"bob"}"#),
        Step("bob", "message.send", #"{"channel_id":"general","text":"x"}"#),
        Step("app", "user.activate", #"{"user_id":"bob"}"#),
        Step("app", "user.delete", #"{"user_id":"bob"}"#),
        Step("app", "channel.delete", #"{"channel_id":"general"}"#),
        Step("app", "channel.delete", #"{"channel_id":"general"}"#),
    ]

    @Test func `every command is answered by a follower with the writer's words`() throws {
        let scene = try Scene()
        var accepted: Set<String> = []
        for step in script {
            let sender: Caller = step.user == "app" ? .server : .user(try #require(UserID(step.user)))
            let (answer, expected) = try scene.call(step.method, step.data, by: sender)
            #expect(answer == expected, "\(step.user) \(step.method) \(step.data)")
            if answer.hasPrefix("{") { accepted.insert(step.method) }
        }
        let changes = CommandTable.declarations.filter { $0.request is any Change.Type }.map(\.method)
        #expect(Set(changes).subtracting(accepted).isEmpty)
    }

    @Test func `files and guests are answered by a follower with the writer's words`() throws {
        let scene = try Scene()
        _ = try scene.call("channel.create", #"{"id":"general","is_public":true}"#, by: .user("ann"))
        let general = try #require(ChannelID("general"))
        for _ in 0..<2 {
            let file = RegisterFile(
                id: FileID(high: 1, low: 2), channelID: general, name: "a.png", size: 9, mimeType: "image/png")
            let (answer, expected) = try scene.run {
                scene.follower.engine.change(file, as: .user("ann"), answerTo: $0)
            }
            #expect(answer == expected)
            let guest = AdmitGuest(id: .guest(1, 2), nickname: "Gus")
            let (guestAnswer, guestExpected) = try scene.run { scene.follower.engine.admit(guest, answerTo: $0) }
            #expect(guestAnswer == guestExpected)
        }
    }

    @Test func `a command that the deciding node does not know, or cannot read, is refused there`() throws {
        let scene = try Scene()
        let origin = try #require(NodeID(name: "ann", start: 1))
        for (method, request) in [
            ("no.such", "{}"), ("message.list", "{}"), ("channel.join", "{}"), ("channel.join", "["),
        ] {
            let command = RelayedCommand(
                serial: 1, method: method, request: Array(request.utf8), caller: .user("ann"), admitsNewcomer: true,
                guestOrigin: nil)
            let remote = RemoteCommand(CommandOrigin(node: origin, serial: 1), term: 1) { _ in }
            scene.writer.table.execute(command, answerTo: ReturnAddress(remote))
            scene.writer.settle()
            let frame = try #require(scene.writer.log.newFrames().first)
            #expect(frame.serial == 1)
            #expect(frame.refusal != nil)
        }
        #expect(scene.writer.log.answers.map { $0.prefix(3) } == ["104", "104", "107", "107"])
    }

    @Test func `guests of one address are counted by the deciding node, whichever node they came to`() throws {
        let scene = try Scene()
        var refusals: [Bool] = []
        for number in 1...21 as ClosedRange<UInt64> {
            let guest = AdmitGuest(id: .guest(1, number), nickname: nil)
            let (answer, expected) = try scene.run { address in
                guard case .handler(let handle) = address.recipient else { return }
                let origin = GuestOrigin(block: "block", network: "network")
                scene.follower.engine.admit(guest, answerTo: ReturnAddress(guestOrigin: origin, handle))
            }
            #expect(answer == expected)
            refusals.append(answer.hasPrefix("1031"))
        }
        #expect(refusals == [Bool](repeating: false, count: 20) + [true])
    }
}
