import ChatModel
import Dispatch
import Testing

@testable import Webhooks

/// Webhooks on the nodes of a cluster, of which one sends.
@Suite struct SendingNodeTests {
    private let folder: WebhookFolder

    init() throws { folder = try WebhookFolder() }

    /// Returns a dispatcher that does not send.
    private func silent(
        _ receiver: Receiver, _ change: (inout WebhookLimits) -> Void = { _ in }
    ) throws -> WebhookDispatcher {
        let dispatcher = try folder.dispatcher(change)
        dispatcher.setSending(false)
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.start()
        return dispatcher
    }

    private func pending(_ dispatcher: WebhookDispatcher) -> Int? { dispatcher.sender(of: "a")?.snapshot.pending }

    @Test func `L2: a node that does not send keeps events, and sends them in order once it may`() throws {
        let receiver = Receiver()
        let dispatcher = try silent(receiver)
        dispatcher.tell(1...3)
        #expect(pending(dispatcher) == 3)
        #expect(dispatcher.positions == ["a": 0])
        dispatcher.setSending(true)
        #expect(receiver.ids(3) == ["e1", "e2", "e3"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: what another node has delivered is dropped, and only the rest is sent`() throws {
        let receiver = Receiver()
        let dispatcher = try silent(receiver)
        dispatcher.tell(1...5)
        dispatcher.skip("a", to: 3)
        dispatcher.skip("unknown", to: 9)
        #expect(dispatcher.positions == ["a": 3])
        dispatcher.skip("a", to: 1)
        #expect(dispatcher.positions == ["a": 3])
        dispatcher.setSending(true)
        #expect(receiver.ids(2) == ["e4", "e5"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a node that is behind drops later what it did not have when it was told`() throws {
        let receiver = Receiver()
        let dispatcher = try silent(receiver)
        dispatcher.tell(1...2)
        dispatcher.skip("a", to: 4)
        #expect(dispatcher.positions == ["a": 2])
        dispatcher.tell(3...6)
        #expect(dispatcher.positions == ["a": 2])
        dispatcher.skip("a", to: 4)
        #expect(dispatcher.positions == ["a": 4])
        dispatcher.setSending(true)
        #expect(receiver.ids(2) == ["e5", "e6"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: events in files are dropped and kept like those in memory`() throws {
        let receiver = Receiver()
        let dispatcher = try silent(receiver) { $0.queueEvents = 2 }
        dispatcher.tell(1...10)
        #expect(pending(dispatcher) == 10)
        dispatcher.skip("a", to: 7)
        #expect(pending(dispatcher) == 3)
        dispatcher.setSending(true)
        #expect(receiver.ids(3) == ["e8", "e9", "e10"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a node that sends drops nothing, whatever others say`() throws {
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(gate: gate)
        let dispatcher = try silent(receiver)
        dispatcher.setSending(true)
        dispatcher.tell(1...3)
        #expect(receiver.ids(1) == ["e1"])
        dispatcher.skip("a", to: 3)
        #expect(pending(dispatcher) == 3)
        for _ in 0..<3 { gate.signal() }
        #expect(receiver.ids(2) == ["e1", "e2", "e3"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a node that may no longer send ends the attempt under way and begins no other`() throws {
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(gate: gate)
        let dispatcher = try silent(receiver)
        dispatcher.setSending(true)
        dispatcher.tell(1...3)
        #expect(receiver.ids(1) == ["e1"])
        dispatcher.setSending(false)
        gate.signal()
        while pending(dispatcher) != 2 {}
        // Another node sends the second.
        dispatcher.skip("a", to: 2)
        dispatcher.setSending(true)
        gate.signal()
        #expect(receiver.ids(1) == ["e1", "e3"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: an event that another node delivers during an attempt is not removed twice`() throws {
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(gate: gate)
        let dispatcher = try silent(receiver)
        dispatcher.setSending(true)
        dispatcher.tell(1...3)
        #expect(receiver.ids(1) == ["e1"])
        dispatcher.setSending(false)
        dispatcher.skip("a", to: 1)
        #expect(pending(dispatcher) == 2)
        gate.signal()
        dispatcher.setSending(true)
        for _ in 0..<2 { gate.signal() }
        #expect(receiver.ids(2) == ["e1", "e2", "e3"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a webhook that is created meanwhile waits too`() throws {
        let (first, second) = (Receiver(), Receiver())
        let dispatcher = try silent(first)
        dispatcher.configure([WebhookFolder.target(first.url), WebhookFolder.target(second.url, id: "b")], at: 1)
        dispatcher.tell(2...3)
        #expect(dispatcher.positions == ["a": 1, "b": 1])
        dispatcher.skip("a", to: 3)
        dispatcher.skip("b", to: 2)
        dispatcher.setSending(true)
        #expect(second.ids(1) == ["e3"])
        dispatcher.tell(4...4)
        #expect(first.ids(1) == ["e4"])
        #expect(second.ids(1) == ["e3", "e4"])
        dispatcher.stop()
        for receiver in [first, second] { receiver.stop() }
    }

    @Test func `L2: a dead letter that is dropped before it was sent can be delivered again`() async throws {
        let receiver = Receiver(statuses: [410])
        let dispatcher = try silent(receiver) { $0.attempts = 1 }
        dispatcher.setSending(true)
        dispatcher.tell(1...2)
        #expect(receiver.ids(2) == ["e1", "e2"])
        while !dispatcher.isIdle {}
        dispatcher.setSending(false)
        for _ in 0..<2 {
            #expect(await replay(dispatcher) == 1)
            dispatcher.skip("a", to: 9)
            #expect(pending(dispatcher) == 0)
        }
        #expect(await replay(dispatcher) == 1)
        dispatcher.setSending(true)
        #expect(receiver.ids(1) == ["e1", "e2", "e1"])
        dispatcher.stop()
        receiver.stop()
    }

    private func replay(_ dispatcher: WebhookDispatcher) async -> Int? {
        await withCheckedContinuation { done in dispatcher.replay(nil, of: "a") { done.resume(returning: $0) } }
    }
}
