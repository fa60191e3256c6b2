import ChatDomain
import ChatEngine
import ChatModel
import Synchronization
import Testing

/// What the publisher hands over for webhooks, in words.
private final class WebhookEar: WebhookPort {
    private let words = Mutex<[String]>([])
    private let targets = Mutex<[WebhookTarget]>([])

    func configure(_ targets: [WebhookTarget]) { self.targets.withLock { $0 = targets } }

    func wants(_ type: String) -> Bool {
        targets.withLock { $0.contains { $0.webhook.events.includes(type) } }
    }

    func deliver(_ type: String, id: String, body: [UInt8]) {
        words.withLock { $0.append("\(type) \(id) \(String(decoding: body, as: UTF8.self))") }
    }

    var heard: [String] { words.withLock(\.self) }
    var ids: [String] { targets.withLock { $0.map(\.webhook.id) } }
}

@Suite struct WebhookPortTests {
    private let hook = SetWebhook(
        id: "a", url: "https://app.example", events: .types(["message.new", "push"]),
        secret: "0123456789abcdef01234567")

    @Test func `L2: webhooks hear of what is durable, and of pushes for those who are offline`() {
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
        // Bob connects: he hears it himself.
        bench.attach(bob)
        bench.log.sync()
        bench.change(SendMessage(channelID: general, text: "again"), as: ann)
        bench.log.sync()
        #expect(ear.heard.count == 3 && ear.heard.last?.hasPrefix("message.new ") == true)
        // He leaves; others still take him for present for a moment, but he hears nothing any more.
        bench.detach(bob)
        bench.change(SendMessage(channelID: general, text: "and again"), as: ann)
        bench.log.sync()
        #expect(ear.heard.count == 5 && ear.heard.last?.hasPrefix("push evt_") == true)
    }

    @Test func `L2: an engine that begins from a log begins with its webhooks`() {
        let (first, second) = (WebhookEar(), WebhookEar())
        let bench = Bench(webhooks: first)
        bench.engine.change(hook, as: .server, answerTo: bench.address(9))
        bench.settle()
        bench.log.sync()
        let log = HandDrivenLog(frames: bench.log.frames)
        let next = Bench(log: log, webhooks: second)
        next.settle()
        log.queue.sync {}
        #expect(second.ids == ["a"] && first.ids == ["a"])
    }
}
