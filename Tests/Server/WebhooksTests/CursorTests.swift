import ChatModel
import Testing

@testable import Webhooks

/// `L2`: a crash skips no delivery.
@Suite struct CursorTests {
    private let folder: WebhookFolder
    private let receiver = Receiver()
    private var target: WebhookTarget { WebhookFolder.target(receiver.url) }

    init() throws { folder = try WebhookFolder() }

    @Test func `L2: accepted deliveries are not repeated after a restart, and others are`() throws {
        let first = try folder.dispatcher()
        #expect(first.begin([target], base: 0, last: 0) == 0)
        first.start()
        first.tell(1...3)
        #expect(receiver.ids(3) == ["e1", "e2", "e3"])
        while !first.isIdle {}
        first.stop()
        let second = try folder.dispatcher()
        #expect(second.begin([target], base: 0, last: 3) == 3)
        second.tell(1...3)
        second.start()
        second.tell(4...4)
        #expect(receiver.ids(1) == ["e1", "e2", "e3", "e4"])
        second.stop()
        receiver.stop()
    }

    @Test
    func `L2: after a crash, events after the stored cursor are sent again in order once all were read from the log`()
        async throws
    {
        let refusing = Receiver(statuses: [200] + Array(repeating: 500, count: 1_000))
        let first = try folder.dispatcher { $0.maxDelayMilliseconds = 60_000 }
        _ = first.begin([WebhookFolder.target(refusing.url)], base: 0, last: 0)
        first.start()
        first.tell(1...4)
        // The first dispatcher has delivered only the first event and is never stopped.
        try await first.wait(lastDelivered: 1)
        let second = try folder.dispatcher()
        #expect(second.begin([target], base: 0, last: 4) == 1)
        second.tell(1...4)
        #expect(receiver.wait(for: 0).isEmpty)
        second.start()
        #expect(receiver.ids(3) == ["e2", "e3", "e4"])
        second.stop()
        // A snapshot written while the server stops excludes undelivered events.
        first.stop()
        #expect(first.lastDelivered == 1)
        refusing.stop()
        receiver.stop()
    }

    @Test func `L2: frames without events advance the cursor too, and snapshots wait for the stored cursor`()
        async
        throws
    {
        let dispatcher = try folder.dispatcher()
        let pushes = WebhookTarget(
            webhook: Webhook(id: "p", url: receiver.url, events: .types(["push"])), secret: target.secret)
        _ = dispatcher.begin([pushes], base: 0, last: 0)
        #expect(dispatcher.lastDelivered == 0)
        dispatcher.start()
        dispatcher.tell(1...5)
        try await dispatcher.wait(lastDelivered: 5)
        #expect(try WebhookStore(folder.disk).lowest == 5)
        dispatcher.configure([], at: 6)
        dispatcher.advance(to: 7)
        #expect(dispatcher.lastDelivered == 7)
        dispatcher.stop()
        #expect(try WebhookStore(folder.disk).found == [:])
        receiver.stop()
    }

    @Test
    func `L2: a new webhook starts with new events, even if the process ends before its cursor is stored`() throws {
        // Nothing is known about the time before cursors were stored.
        let unknown = try folder.dispatcher()
        #expect(unknown.begin([target], base: 2, last: 5) == 5)
        unknown.stop()
        try folder.write("belfry webhooks 1\nend\n", to: "cursors")
        let dispatcher = try folder.dispatcher()
        #expect(dispatcher.begin([], base: 0, last: 5) == 5)
        dispatcher.advance(to: 2)
        dispatcher.configure([target], at: 3)
        #expect(dispatcher.lastDelivered <= 3)
        dispatcher.tell(3...5)
        dispatcher.start()
        dispatcher.tell(6...6)
        #expect(receiver.ids(3) == ["e4", "e5", "e6"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a webhook that is deleted and set again starts as a new one`() throws {
        try folder.write("belfry webhooks 1\na 2\nend\n", to: "cursors")
        let dispatcher = try folder.dispatcher()
        #expect(dispatcher.begin([target], base: 0, last: 7) == 2)
        dispatcher.tell(3...3)
        dispatcher.configure([], at: 4)
        dispatcher.tell(5...5)
        dispatcher.configure([target], at: 6)
        dispatcher.tell(7...7)
        dispatcher.start()
        #expect(receiver.ids(1) == ["e7"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test
    func `L2: a webhook that retains too much of the journal continues without the oldest events, which is reported`()
        throws
    {
        let dispatcher = try folder.dispatcher { $0.lagFrames = 10 }
        _ = dispatcher.begin([target], base: 0, last: 0)
        dispatcher.tell(1...13)
        #expect(dispatcher.lastDelivered <= 3)
        dispatcher.start()
        #expect(receiver.ids(10) == (4...13).map { "e\($0)" })
        // Losses are reported at startup, and later ones are counted until a minute has passed.
        #expect(folder.notices.all == [.eventsDropped(webhook: "a", events: 1)])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: events that can no longer be read at startup are reported`() throws {
        try folder.write("belfry webhooks 1\na 2\nb 30\nend\n", to: "cursors")
        let targets = ["a", "b"].map { WebhookFolder.target(receiver.url, id: $0) }
        #expect(try folder.dispatcher { $0.lagFrames = 40 }.begin(targets, base: 0, last: 50) == 10)
        #expect(folder.notices.all == [.framesSkipped(webhook: "a", frames: 8)])
        // A snapshot that was written regardless of the cursors.
        #expect(try folder.dispatcher().begin(targets, base: 20, last: 50) == 20)
        #expect(folder.notices.all.last == .framesSkipped(webhook: "a", frames: 18))
        // With a log that lost unpublished frames at its end, the cursor continues at that end.
        #expect(try folder.dispatcher().begin([targets[1]], base: 0, last: 25) == 25)
        receiver.stop()
    }

    @Test func `L2: a failure to store the cursors is reported and does not delay deliveries`() async throws {
        let dispatcher = try folder.dispatcher()
        _ = dispatcher.begin([target], base: 0, last: 0)
        dispatcher.start()
        folder.remove()
        dispatcher.tell(1...2)
        #expect(receiver.ids(2) == ["e1", "e2"])
        dispatcher.stop()
        guard case .writeFailed(let error) = folder.notices.all.first else {
            Issue.record("told nobody")
            return
        }
        #expect(error.isMissing && folder.notices.all.count == 1 && dispatcher.lastDelivered == 0)
        receiver.stop()
    }

    @Test(arguments: ["", "belfry webhooks 2\nend\n", "belfry webhooks 1\na 1\n", "belfry webhooks 1\na\nend\n", "end"])
    func `L2: damaged cursors are discarded, and no position is guessed`(text: String) throws {
        try folder.write(text, to: "cursors")
        #expect(throws: WebhookStoreError.damaged("cursors")) { try WebhookStore(folder.disk) }
        receiver.stop()
    }

    @Test func `L2: while pushes of a frame are pending, a crash loses none of them nor later events`()
        async throws
    {
        let other = Receiver()
        let first = try folder.dispatcher()
        _ = first.begin([target], base: 0, last: 0)
        first.start()
        first.tell(1...2)
        // Frame 3 is delivered without its pushes, and frame 4 is delivered before them.
        first.deliver("message.new", id: "e3", body: Array(#"{"id":"e3"}"#.utf8), by: nil, of: 3, after: 2)
        first.deliver("message.new", id: "e4", body: Array(#"{"id":"e4"}"#.utf8), by: nil, of: 4, after: 2)
        first.advance(to: 2)
        #expect(receiver.ids(4) == ["e1", "e2", "e3", "e4"])
        while !first.isIdle {}
        try await first.wait(lastDelivered: 2)
        let next = try folder.dispatcher()
        #expect(next.begin([target], base: 0, last: 4) == 2)
        // A webhook set in the meantime gets later events, and nothing from frame 3.
        first.configure([target, WebhookFolder.target(other.url, id: "b")], at: 4)
        first.deliver("push", id: "p3", body: Array(#"{"id":"p3"}"#.utf8), by: nil, of: 3, after: 2)
        first.deliver("message.new", id: "e5", body: Array(#"{"id":"e5"}"#.utf8), by: nil, of: 5, after: 2)
        #expect(other.ids(1) == ["e5"])
        #expect(receiver.ids(2).suffix(2) == ["p3", "e5"])
        first.advance(to: 5)
        try await first.wait(lastDelivered: 5)
        first.stop()
        receiver.stop()
        other.stop()
    }
}
