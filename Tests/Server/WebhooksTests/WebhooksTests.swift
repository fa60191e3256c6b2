import ChatModel
import CoreMetrics
import Dispatch
import EventLoops
import Testing
import Webhooks

/// `L2`: deliveries.
@Suite struct WebhooksTests {
    private let secret = "0123456789abcdef01234567"
    private let now: Int64 = 1_780_000_000_999

    private func dispatcher(_ change: (inout WebhookLimits) -> Void = { _ in }) -> WebhookDispatcher {
        var limits = WebhookLimits()
        limits.destinations.allowed = ["127.0.0.1"].compactMap { IPRange($0) }
        limits.firstDelayMilliseconds = 2
        limits.maxDelayMilliseconds = 8
        change(&limits)
        let now = now
        return WebhookDispatcher(
            limits: limits, metrics: NOOPMetricsHandler.instance,
            report: { id, address in Issue.record("\(id) may not go to \(address)") }, clock: { now })
    }

    private func target(_ url: String, id: String = "a", events: WebhookEvents = .all) -> WebhookTarget {
        WebhookTarget(webhook: Webhook(id: id, url: url, events: events), secret: secret)
    }

    private func send(_ ids: [String], _ dispatcher: WebhookDispatcher) {
        for id in ids {
            dispatcher.deliver("message.new", id: id, body: Array(#"{"id":"\#(id)"}"#.utf8), of: 1)
        }
    }

    /// Test vectors from the Standard Webhooks libraries, and one for a raw key.
    @Test func `L2: the signature follows Standard Webhooks`() {
        let encoded = WebhookSignature(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let body = Array(#"{"test": 2432232314}"#.utf8)
        #expect(
            encoded.header(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let plain = WebhookSignature(secret: secret).header(id: "e", timestamp: 1, body: [0x62])
        #expect(plain == "v1,ZUmWw5eV44YdQoKp4PsQVeB2yJtHDGWs9j1b43kLwHU=")
    }

    @Test func `L2: two secrets sign each delivery, the new one first`() {
        let other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let both = WebhookSignature(secret: secret, previous: other).header(id: "e", timestamp: 1, body: [0x62])
        let each = [secret, other].map { WebhookSignature(secret: $0).header(id: "e", timestamp: 1, body: [0x62]) }
        #expect(both == each.joined(separator: " "))
        let receiver = Receiver()
        let dispatcher = dispatcher()
        dispatcher.start()
        let webhook = Webhook(id: "a", url: receiver.url, events: .all)
        dispatcher.configure([WebhookTarget(webhook: webhook, secret: secret, previousSecret: other)], at: 0)
        send(["e1"], dispatcher)
        let request = receiver.wait(for: 1).first
        let expected = WebhookSignature(secret: secret, previous: other).header(
            id: "e1", timestamp: 1_780_000_000, body: Array(#"{"id":"e1"}"#.utf8))
        #expect(request?.fields["webhook-signature"] == expected)
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a refused delivery is retried with the same id until accepted, and no later one overtakes it`() {
        let receiver = Receiver(statuses: [500, 302])
        let dispatcher = dispatcher()
        dispatcher.start()
        dispatcher.configure([target(receiver.url)], at: 0)
        send(["e1", "e2"], dispatcher)
        let requests = receiver.wait(for: 4)
        #expect(requests.map { $0.fields["webhook-id"] } == ["e1", "e1", "e1", "e2"])
        #expect(requests.map(\.body) == [#"{"id":"e1"}"#, #"{"id":"e1"}"#, #"{"id":"e1"}"#, #"{"id":"e2"}"#])
        for request in requests {
            #expect(request.fields["webhook-timestamp"] == "1780000000")
            #expect(request.fields["content-type"] == "application/json")
            let expected = WebhookSignature(secret: secret).header(
                id: request.fields["webhook-id"] ?? "", timestamp: 1_780_000_000, body: Array(request.body.utf8))
            #expect(request.fields["webhook-signature"] == expected)
        }
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a delivery that is never accepted is dropped after the last attempt, and the next follows`() {
        let receiver = Receiver(statuses: [500, 404])
        let dispatcher = dispatcher { $0.attempts = 2 }
        dispatcher.start()
        dispatcher.configure([target(receiver.url)], at: 0)
        send(["e1", "e2"], dispatcher)
        #expect(receiver.wait(for: 3).map { $0.fields["webhook-id"] } == ["e1", "e1", "e2"])
        receiver.stop()
    }

    @Test func `L2: a full queue drops its oldest delivery`() {
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(gate: gate)
        let dispatcher = dispatcher { $0.queueEvents = 3 }
        dispatcher.start()
        dispatcher.configure([target(receiver.url)], at: 0)
        send(["e0"], dispatcher)
        #expect(receiver.wait(for: 1).count == 1)
        send(["e1", "e2", "e3", "e4", "e5"], dispatcher)
        for _ in 0..<4 { gate.signal() }
        #expect(receiver.wait(for: 3).map { $0.fields["webhook-id"] } == ["e0", "e3", "e4", "e5"])
        receiver.stop()
    }

    @Test
    func `L2: each webhook gets only its own events and none after its removal, and a hung one delays no other`() {
        let gate = DispatchSemaphore(value: 0)
        let slow = Receiver(gate: gate)
        let fast = Receiver()
        let dispatcher = dispatcher()
        #expect(!dispatcher.wants("push"))
        let some = target(fast.url, id: "b", events: .types(["push"]))
        dispatcher.start()
        dispatcher.configure([target(slow.url), some], at: 0)
        #expect(dispatcher.wants("push") && dispatcher.wants("message.new"))
        send(["e1"], dispatcher)
        dispatcher.deliver("push", id: "p1", body: [0x7B, 0x7D], of: 1)
        #expect(fast.wait(for: 1).map { $0.fields["webhook-id"] } == ["p1"])
        #expect(slow.wait(for: 1).map { $0.fields["webhook-id"] } == ["e1"])
        dispatcher.configure([some], at: 0)
        #expect(!dispatcher.wants("message.new"))
        for _ in 0..<3 { gate.signal() }
        send(["e2"], dispatcher)
        dispatcher.deliver("push", id: "p2", body: [0x7B, 0x7D], of: 1)
        #expect(fast.wait(for: 1).map { $0.fields["webhook-id"] } == ["p1", "p2"])
        #expect(slow.wait(for: 0).count == 1)
        slow.stop()
        fast.stop()
    }
}
