import ChatDomain
import ChatModel
import Dispatch
import Synchronization
import Testing

@testable import ChatEngine

/// A record of what the publisher passes to webhooks, in words.
private final class WebhookEar: WebhookPort {
    private let words = Mutex<[String]>([])
    private let authors = Mutex<[UserID?]>([])
    private let targets = Mutex<[WebhookTarget]>([])

    private let marks = Mutex<[String]>([])
    private let delivered: UInt64

    /// - Parameter delivered: The frame up to which it has received everything.
    init(delivered: UInt64 = 0) { self.delivered = delivered }

    func begin(_ targets: [WebhookTarget], base: UInt64, last: UInt64) -> UInt64 {
        self.targets.withLock { $0 = targets }
        marks.withLock { $0.append("begin \(base) \(last)") }
        return delivered
    }

    func start() { marks.withLock { $0.append("start") } }
    func advance(to frame: UInt64) { marks.withLock { $0.append("\(frame)") } }

    func configure(_ targets: [WebhookTarget], at frame: UInt64) {
        self.targets.withLock { $0 = targets }
        marks.withLock { $0.append("configure \(frame)") }
    }

    func wants(_ type: String) -> Bool {
        targets.withLock { $0.contains { $0.webhook.events.includes(type) } }
    }

    func deliver(
        _ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after published: UInt64
    ) {
        words.withLock { $0.append("\(type) \(id) \(String(decoding: body, as: UTF8.self))") }
        authors.withLock { $0.append(user) }
        marks.withLock { $0.append("\(type) of \(frame)" + (published == frame - 1 ? "" : " after \(published)")) }
    }

    /// The calls, without their contents.
    var calls: [String] { marks.withLock(\.self) }
    /// The user who caused each received event.
    var causedBy: [UserID?] { authors.withLock(\.self) }
    var heard: [String] { words.withLock(\.self) }
    var ids: [String] { targets.withLock { $0.map(\.webhook.id) } }
}

/// Timers that run the work the engine deferred briefly.
private final class Moments: Sendable {
    private let bodies = Mutex<[@Sendable () -> Void]>([])

    /// Longer delays belong to other work.
    func later(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        if milliseconds < 1_000 { bodies.withLock { $0.append(body) } }
    }

    /// - Returns: The number of timers run, one after the other.
    @discardableResult
    func pass(_ bench: Bench) -> Int {
        var count = 0
        while count < 10_000 {
            let due = bodies.withLock { bodies in
                defer { bodies = [] }
                return bodies
            }
            if due.isEmpty { break }
            for body in due { bench.engine.queue.enter(body) }
            count += due.count
        }
        bench.log.sync()
        return count
    }
}

@Suite struct WebhookPortTests {
    private let hook = SetWebhook(
        id: "a", url: "https://app.example", events: .types(["message.new", "push"]),
        secret: "0123456789abcdef01234567")

    @Test func `L2: webhooks receive durable events, and pushes for offline users`() {
        let ear = WebhookEar()
        let bench = Bench(webhooks: ear)
        bench.attach(ann)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.change(RegisterDevice(provider: .fcm, token: "t"), as: bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        #expect(ear.ids == ["a"] && ear.heard.isEmpty, "of its own types alone")
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann)
        #expect(ear.heard.isEmpty)
        bench.log.sync()
        #expect(ear.heard.count == 2)
        let event = ear.heard.first ?? ""
        #expect(event.hasPrefix("message.new evt_"))
        #expect(event.contains(#"{"type":"message.new","at":1780000000000,"room":"general","offset":3,"data":{"#))
        #expect(event.contains(#""text":"hello""#) && event.hasSuffix("}}"))
        let push = ear.heard.last ?? ""
        #expect(push.hasPrefix("push evt_"))
        #expect(push.contains(#""recipients":[{"devices":[{"provider":"fcm","token":"t"}],"user_id":"bob"}]"#))
        // Bob connects and receives the message himself.
        bench.attach(bob)
        bench.log.sync()
        bench.change(SendMessage(channelID: general, text: "again"), as: ann)
        bench.log.sync()
        #expect(ear.heard.count == 3 && ear.heard.last?.hasPrefix("message.new ") == true)
        // He disconnects. Others still see him online for a moment, but he receives nothing more.
        bench.detach(bob)
        bench.change(SendMessage(channelID: general, text: "and again"), as: ann)
        bench.log.sync()
        #expect(ear.heard.count == 5 && ear.heard.last?.hasPrefix("push evt_") == true)
    }

    @Test func `L2: webhook events name the user who caused them, so that a queue can be shared fairly`() {
        let ear = WebhookEar()
        let bench = Bench(webhooks: ear)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.change(RegisterDevice(provider: .fcm, token: "t"), as: bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann)
        bench.engine.change(
            SendMessage(channelID: general, text: "hear", kind: .admin), as: .server, answerTo: bench.address(9))
        bench.settle()
        bench.log.sync()
        #expect(ear.causedBy == [ann, ann, nil, nil])
    }

    /// Issue 20: 500 recipients with 20 devices each made a delivery of 40 MB.
    @Test func `L2: a push is split by the bytes of its recipients' devices`() {
        let ear = WebhookEar()
        let bench = Bench(webhooks: ear)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.change(RegisterDevice(provider: .fcm, token: "t"), as: bob)
        let people = (0..<10).map { UserID("p\($0)") ?? bob }
        for user in people {
            for number in 0..<20 {
                let token = "\(user) \(number)" + String(repeating: "t", count: 4_000)
                bench.change(RegisterDevice(provider: .fcm, token: token), as: user)
            }
        }
        bench.change(CreateChannel(id: general, userIDs: people), as: ann)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann)
        bench.log.sync()
        let pushes = ear.heard.filter { $0.hasPrefix("push ") }
        // Three users have 240 KiB of devices.
        #expect(pushes.count == 4 && pushes.allSatisfy { $0.utf8.count < 300_000 })
        #expect(Set(pushes.map { $0.split(separator: " ")[1] }).count == 4)
        for user in people { #expect(pushes.count { $0.contains(#""user_id":"\#(user)""#) } == 1) }
    }

    @Test func `L2: an engine started from a log restores its webhooks`() {
        let (first, second) = (WebhookEar(), WebhookEar())
        let bench = Bench(webhooks: first)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.settle()
        bench.log.sync()
        let log = HandDrivenLog(frames: bench.log.frames)
        let next = Bench(log: log, webhooks: second)
        next.settle()
        log.queue.enter {}
        #expect(second.ids == ["a"] && first.ids == ["a"])
    }

    /// Publishes frames to a webhook: frame 1 has the webhook, 2 ann, 3 the device and bob, 4 the channel, and 5 and 6
    /// a message each.
    private func published(_ hook: SetWebhook) -> (ear: WebhookEar, frames: [[Record]]) {
        let ear = WebhookEar()
        let bench = Bench(webhooks: ear)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.attach(ann)
        bench.change(RegisterDevice(provider: .fcm, token: "t"), as: bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann)
        bench.change(SendMessage(channelID: general, text: "again"), as: ann)
        bench.log.sync()
        return (ear, bench.log.frames)
    }

    @Test
    func `L2: after each restart webhooks get missed deliveries with the same ids and bytes, by log frame`() {
        let before = published(hook)
        #expect(before.frames.count == 6)
        for delivered in 0...6 {
            let (ear, moments) = (WebhookEar(delivered: UInt64(delivered)), Moments())
            let next = Bench(
                log: HandDrivenLog(frames: before.frames), webhooks: ear, later: { moments.later($0, $1) })
            next.settle()
            // A webhook set within the replayed frames has no known progress yet.
            #expect(ear.calls.first == "begin 0 6" && ear.calls.suffix(3) == ["configure 6", "4", "start"])
            #expect(ear.calls.contains("message.new of 5"))
            moments.pass(next)
            #expect(ear.heard.sorted() == before.ear.heard.sorted())
            #expect(ear.calls.suffix(3) == ["push of 5", "push of 6", "6"])
        }
    }

    @Test func `L2: frames already delivered to webhooks are not encoded again`() {
        let before = published(hook)
        // The webhook was set earlier and is already in the state.
        let log = HandDrivenLog(frames: before.frames, base: 3)
        let (ear, moments) = (WebhookEar(delivered: 5), Moments())
        let next = Bench(log: log, recoverableFrames: 0, webhooks: ear, later: { moments.later($0, $1) })
        next.settle()
        moments.pass(next)
        #expect(
            ear.calls == ["begin 3 6", "message.new of 6", "5", "configure 6", "5", "start", "push of 6", "6"])
        #expect(ear.heard == before.ear.heard.suffix(2))
    }

    @Test func `L2: a live frame is marked as complete once all its events are passed on`() {
        let calls = published(hook).ear.calls
        let end = ["message.new of 5", "push of 5", "message.new of 6", "push of 6", "6"]
        #expect(calls.suffix(5) == end && calls.contains("configure 1"))
    }

    // MARK: Large channels

    private let crowd = (0..<600).compactMap { UserID("m\($0)") }

    /// Returns a bench with ann's channel, which has more members than one push examines, all with devices; frames are
    /// durable.
    private func large(_ ear: WebhookEar) -> Bench {
        let bench = Bench(webhooks: ear)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        for user in [bob] + crowd { bench.change(RegisterDevice(provider: .fcm, token: "of \(user)"), as: user) }
        bench.change(CreateChannel(id: general, userIDs: [bob], isSuper: true), as: ann)
        for start in stride(from: 0, to: crowd.count, by: FieldLimits.idsPerCommand) {
            let some = Array(crowd[start..<min(crowd.count, start + FieldLimits.idsPerCommand)])
            bench.change(InviteToChannel(channelID: general, userIDs: some), as: ann)
        }
        bench.log.sync()
        return bench
    }

    /// Sends a message by ann, followed by one by bob, which is pushed to nobody.
    private func send(_ bench: Bench) {
        var quiet = SendMessage(channelID: general, text: "quiet")
        quiet.pushOption = .suppress
        // Both commands are queued before the engine starts, because a running batch could take the first one alone.
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        bench.engine.runBetweenBatches {
            began.signal()
            gate.wait()
        }
        #expect(began.wait(timeout: .now() + .seconds(10)) == .success)
        bench.engine.change(SendMessage(channelID: general, text: "hello"), as: .user(ann), answerTo: bench.address(1))
        bench.engine.change(quiet, as: .user(bob), answerTo: bench.address(2))
        gate.signal()
        bench.settle()
    }

    @Test func `L2: pushes to a large channel delay no other command, and complete the frame when they are done`() {
        let ear = WebhookEar()
        let bench = large(ear)
        let before = ear.calls.count
        let first = bench.log.frames.count + 1
        send(bench)
        #expect(bench.log.frames.count == first + 1)
        bench.log.sync(first: 2)
        let early = ["message.new of \(first)", "message.new of \(first + 1) after \(first - 1)", "\(first - 1)"]
        #expect(ear.calls.dropFirst(before) == early[...])
        #expect(bench.ear.heard.suffix(2) == ["answer 1", "answer 2"], "without the pushes")
        bench.log.sync()
        #expect(
            ear.calls.dropFirst(before + early.count) == ["push of \(first)", "push of \(first)", "\(first + 1)"])
        let ids = ear.heard.suffix(2).map { $0.split(separator: " ")[1].split(separator: "_").last }
        #expect(ids == ["push0", "push500"])
        // No pushes are pending any longer.
        send(bench)
        bench.log.sync()
        #expect(ear.calls.last == "\(first + 3)")
    }

    @Test func `L2: pushes to a large channel are charged to the sender until they are published`() {
        let ear = WebhookEar()
        let bench = large(ear)
        for user in crowd {
            bench.change(RegisterDevice(provider: .apns, token: String(repeating: "t", count: 1_000)), as: user)
        }
        bench.log.sync()
        #expect(bench.engine.backlog.count == 0)
        send(bench)
        #expect(bench.engine.backlog.count == 1, "600 KiB of tokens")
        bench.log.sync()
        #expect(bench.engine.backlog.count == 0)
    }

    @Test func `L2: a crash before the pushes to a large channel are sent loses none of them`() {
        let ear = WebhookEar()
        let bench = large(ear)
        send(bench)
        bench.log.sync(first: 2)
        let frames = bench.log.frames
        bench.log.sync()
        let pushes = ear.heard.filter { $0.hasPrefix("push ") }
        #expect(pushes.count == 2)
        let (again, moments) = (WebhookEar(delivered: UInt64(frames.count - 2)), Moments())
        let next = Bench(
            log: HandDrivenLog(frames: frames, base: frames.count - 2), webhooks: again,
            later: { moments.later($0, $1) })
        next.settle()
        #expect(again.heard.count == 2 && again.heard.last?.contains(#""text":"quiet""#) == true)
        moments.pass(next)
        #expect(again.heard.filter { $0.hasPrefix("push ") } == pushes)
        #expect(again.heard.count == 4)
    }

    /// Issue 20, N112: after a webhook was down, startup searched for the recipients of all its pushes at once.
    @Test
    func `L2: pushes from before a restart are sent over several turns after startup, to users still offline`() throws {
        let ear = WebhookEar()
        let bench = large(ear)
        let delivered = bench.log.frames.count
        for _ in 1...30 { bench.change(SendMessage(channelID: general, text: "hello"), as: ann) }
        bench.log.sync()
        let frames = bench.log.frames
        let (again, moments) = (WebhookEar(delivered: UInt64(delivered)), Moments())
        let next = Bench(
            log: HandDrivenLog(frames: frames, base: delivered), webhooks: again, later: { moments.later($0, $1) })
        next.settle()
        #expect(again.heard.count == 30 && again.heard.allSatisfy { $0.hasPrefix("message.new ") })
        #expect(again.calls.suffix(2) == ["\(delivered)", "start"], "and the first message's pushes are outstanding")
        let back = try #require(crowd.first)
        next.attach(back)
        next.change(SendMessage(channelID: general, text: "more"), as: ann)
        next.log.sync()
        #expect(again.calls.last == "\(delivered)" && next.engine.restoredPushes.count == 30)
        let before = again.heard.count
        #expect(moments.pass(next) > 3, "2 ms each, of 600 members by 30 messages")
        let pushes = again.heard.dropFirst(before)
        #expect(pushes.count == 60 && pushes.allSatisfy { $0.hasPrefix("push ") })
        #expect(!pushes.joined().contains(#""user_id":"\#(back)""#))
        #expect(pushes.joined().contains(#""user_id":"\#(crowd[1])""#))
        #expect(again.calls.last == "\(delivered + 31)" && next.engine.restoredPushes.count == 0)
    }

    @Test func `L2: if too many messages precede a restart, only the latest are pushed`() {
        let before = published(hook)
        let (ear, moments) = (WebhookEar(delivered: 4), Moments())
        let next = Bench(
            log: HandDrivenLog(frames: before.frames, base: 4), restoredPushes: 1, webhooks: ear,
            later: { moments.later($0, $1) })
        next.settle()
        #expect(ear.calls.suffix(3) == ["configure 6", "5", "start"])
        moments.pass(next)
        #expect(ear.heard.map { $0.prefix(5) } == ["messa", "messa", "push "])
        #expect(ear.calls.suffix(2) == ["push of 6", "6"])
    }

    @Test func `L2: pushes from before a restart are not searched for if no webhook subscribes to them any more`() {
        let before = published(hook)
        let (ear, moments) = (WebhookEar(delivered: 4), Moments())
        let next = Bench(
            log: HandDrivenLog(frames: before.frames, base: 4), webhooks: ear, later: { moments.later($0, $1) })
        next.engine.change(DeleteWebhook(id: "a"), as: .server, answerTo: next.address(9))
        next.settle()
        next.log.sync()
        moments.pass(next)
        #expect(ear.heard.count == 2 && ear.calls.last == "7")
    }

    @Test func `L2: a sender's next command waits for the pushes of the previous one`() {
        let ear = WebhookEar()
        let bench = large(ear)
        let before = ear.calls.count
        let first = bench.log.frames.count + 1
        for number in 1...2 {
            bench.engine.change(
                SendMessage(channelID: general, text: "\(number)"), as: .user(ann),
                answerTo: bench.address(UInt32(number)))
        }
        bench.settle()
        bench.log.sync()
        #expect(
            ear.calls.dropFirst(before) == [
                "message.new of \(first)", "push of \(first)", "push of \(first)", "message.new of \(first + 1)",
                "push of \(first + 1)", "push of \(first + 1)", "\(first + 1)",
            ])
    }
}
