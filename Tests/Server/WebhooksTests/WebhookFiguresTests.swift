import ChatModel
import Dispatch
import Testing

@testable import Webhooks

/// `L2`: the state of each webhook, for operators.
@Suite struct WebhookFiguresTests {
    private func tell(_ frames: ClosedRange<UInt64>, _ dispatcher: WebhookDispatcher) {
        for frame in frames {
            dispatcher.deliver(
                "message.new", id: "e\(frame)", body: Array(#"{"at":\#(frame * 10)}"#.utf8), of: frame)
            dispatcher.advance(to: frame)
        }
    }

    @Test func `L2: pending deliveries are counted, with the time of the oldest and of the next attempt`() throws {
        let folder = try WebhookFolder()
        let gate = DispatchSemaphore(value: 0)
        let (refusing, taking) = (Receiver(statuses: [500, 410, 410], gate: gate), Receiver())
        let dispatcher = try folder.dispatcher { limits in
            (limits.attempts, limits.queueEvents) = (2, 2)
            (limits.firstDelayMilliseconds, limits.maxDelayMilliseconds) = (3_600_000, 3_600_000)
        }
        _ = dispatcher.begin(
            [WebhookFolder.target(refusing.url, id: "b"), WebhookFolder.target(taking.url)], base: 0, last: 0)
        dispatcher.start()
        tell(1...4, dispatcher)
        #expect(taking.ids(4) == ["e1", "e2", "e3", "e4"])
        #expect(refusing.ids(1) == ["e1"])
        while dispatcher.figures.first?.pending != 0 {}
        #expect(
            dispatcher.figures == [
                WebhookFigures(
                    id: "a", pending: 0, oldestAt: nil, attempts: 0, retryAt: nil, lagFrames: 0, deadLetters: 0),
                // Two of the deliveries are in a file.
                WebhookFigures(
                    id: "b", pending: 4, oldestAt: 10, attempts: 0, retryAt: nil, lagFrames: 4, deadLetters: 0),
            ])
        gate.signal()
        while dispatcher.figures.last?.retryAt == nil {}
        let waiting = try #require(dispatcher.figures.last)
        #expect(waiting.attempts == 1 && waiting.pending == 4)
        let delay = try #require(waiting.retryAt) - 1_780_000_000_999
        #expect((1_800_000...3_600_000).contains(delay))
        dispatcher.stop()
        #expect(dispatcher.figures.isEmpty)
        refusing.stop()
        taking.stop()
    }

    @Test func `L2: a delivery being retried counts as attempted, and has no next attempt time`() throws {
        let folder = try WebhookFolder()
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(statuses: [500], gate: gate)
        let dispatcher = try folder.dispatcher()
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.start()
        tell(1...1, dispatcher)
        gate.signal()
        #expect(receiver.ids(2) == ["e1", "e1"])
        #expect(
            dispatcher.figures == [
                WebhookFigures(
                    id: "a", pending: 1, oldestAt: 10, attempts: 1, retryAt: nil, lagFrames: 1, deadLetters: 0)
            ])
        gate.signal()
        while dispatcher.figures.first?.pending != 0 {}
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: dead letters are counted, and no longer pending`() throws {
        let folder = try WebhookFolder()
        let receiver = Receiver(statuses: [410, 410])
        let dispatcher = try folder.dispatcher { $0.attempts = 1 }
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.start()
        tell(1...3, dispatcher)
        #expect(receiver.ids(3) == ["e1", "e2", "e3"])
        while dispatcher.figures.first?.pending != 0 {}
        #expect(
            dispatcher.figures == [
                WebhookFigures(
                    id: "a", pending: 0, oldestAt: nil, attempts: 0, retryAt: nil, lagFrames: 0, deadLetters: 2)
            ])
        dispatcher.stop()
        receiver.stop()
    }
}
