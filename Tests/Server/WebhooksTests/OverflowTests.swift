import ChatModel
import Testing

@testable import Webhooks

/// `L2`: deliveries. that do not fit in memory.
@Suite struct OverflowTests {
    private let folder: WebhookFolder
    private let longest = UserID(String(repeating: "\u{1F600}", count: 80)) ?? "ann"

    init() throws { folder = try WebhookFolder() }

    private var files: [String] {
        get throws { try folder.disk.names().filter { $0.hasPrefix(OverflowFile.prefix) } }
    }

    @Test func `L2: events that do not fit in memory wait in files, in order, and none is lost`() throws {
        let receiver = Receiver()
        let dispatcher = try folder.dispatcher { $0.queueEvents = 3 }
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.tell(1...200)
        #expect(try files.count == 1)
        #expect(dispatcher.lastDelivered == 0)
        dispatcher.start()
        dispatcher.tell(201...210)
        #expect(receiver.ids(210) == (1...210).map { "e\($0)" })
        #expect(folder.notices.all.isEmpty)
        while !dispatcher.isIdle {}
        dispatcher.stop()
        #expect(try files.isEmpty && WebhookStore(folder.disk).lowest == 210)
        receiver.stop()
    }

    @Test func `L2: beyond the maximum size of the files the oldest events are dropped, which is reported`() throws {
        let receiver = Receiver()
        let dispatcher = try folder.dispatcher { limits in
            limits.queueEvents = 2
            limits.overflowBytes = 5 * 42
        }
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.tell(1...20)
        dispatcher.start()
        let last = (1...20).suffix(5).map { "e\($0)" }
        var heard: [String] = []
        while heard.last != "e20" { heard = receiver.ids(1) }
        #expect(heard.suffix(5) == last[...] && heard.count < 10)
        #expect(folder.notices.all == [.eventsDropped(webhook: "a", events: 2)])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `an overflow is read as it was written, over many files, which are removed once read`() throws {
        var overflow = OverflowFile(folder.disk, webhook: "a", segmentBytes: 100)
        let entries = (1...20).map { number in
            OverflowFile.Entry(
                frame: UInt64(number) << 40, type: "push", id: "e\(number)",
                body: Array(repeating: 7, count: number * 9),
                sharer: [.app, .guests, .user(longest), .user("g")][number % 4])
        }
        for entry in entries { try overflow.append(entry) }
        #expect(try overflow.count == 20 && files.count > 5)
        for entry in entries { #expect(try overflow.removeFirst() == entry) }
        #expect(try overflow.removeFirst() == nil)
        #expect(try overflow.isEmpty && overflow.bytes == 0 && files.isEmpty)
        try overflow.append(entries[0])
        #expect(try overflow.removeFirst() == entries[0])
    }

    @Test func `another process's leftover overflow is removed`() throws {
        try folder.write("x", to: OverflowFile.prefix + "a.1")
        _ = try folder.dispatcher().begin([], base: 0, last: 0)
        #expect(try files.isEmpty)
    }
}
