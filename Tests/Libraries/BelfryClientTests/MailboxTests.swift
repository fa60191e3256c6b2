import Synchronization
import Testing

@testable import BelfryClient

struct MailboxTests {
    private func item(_ offset: UInt64) -> Mailbox.Item {
        .publication(room: general, offset: offset, data: bytes("{}"))
    }

    @Test func `nothing is buffered before the first subscriber`() {
        let mailbox = Mailbox(limit: 2) {}
        for offset in 1...10 as ClosedRange<UInt64> { #expect(mailbox.enqueue(item(offset))) }
        mailbox.open()
        #expect(mailbox.enqueue(item(11)))
        #expect(!mailbox.enqueue(item(12)))
    }

    @Test func `a full mailbox requests more only after half of it has been consumed`() async {
        let lows = Atomic<Int>(0)
        let mailbox = Mailbox(limit: 4) { lows.add(1, ordering: .relaxed) }
        mailbox.open()
        for offset in 1...4 as ClosedRange<UInt64> { #expect(mailbox.enqueue(item(offset)) == (offset < 4)) }
        var events = ClientEvents(mailbox: mailbox).makeAsyncIterator()
        _ = await events.next()
        #expect(lows.load(ordering: .relaxed) == 0)
        _ = await events.next()
        #expect(lows.load(ordering: .relaxed) == 1)
        #expect(mailbox.enqueue(item(5)))
    }

    @Test func `large events count by their bytes`() {
        let mailbox = Mailbox(limit: 4_096) {}
        mailbox.open()
        let big = Mailbox.Item.publication(room: general, offset: 1, data: Array(repeating: 0, count: 6_000_000))
        #expect(mailbox.enqueue(big))
        #expect(mailbox.enqueue(big))
        #expect(!mailbox.enqueue(big))
    }

    @Test func `the limit no longer applies once the consumer has ended`() async {
        let mailbox = Mailbox(limit: 1) {}
        mailbox.open()
        let consumer = Task { for await _ in ClientEvents(mailbox: mailbox) {} }
        consumer.cancel()
        await consumer.value
        for offset in 1...10 as ClosedRange<UInt64> { #expect(mailbox.enqueue(item(offset))) }
    }

    @Test func `an event of unknown type keeps its JSON`() async {
        let mailbox = Mailbox(limit: 16) {}
        mailbox.open()
        let known = bytes(#"{"type":"member.left","at":5,"by":"ann","member":null,"later":[1]}"#)
        let strange = bytes(#"{"type":"comet.seen","at":5,"comet":{}}"#)
        _ = mailbox.enqueue(.publication(room: general, offset: 1, data: known))
        _ = mailbox.enqueue(.publication(room: "not a room", offset: 1, data: known))
        _ = mailbox.enqueue(.publication(room: "#ann", offset: 0, data: strange))
        _ = mailbox.enqueue(.publication(room: general, offset: 2, data: bytes("[")))
        mailbox.finish()
        var heard: [ClientEvent] = []
        for await event in ClientEvents(mailbox: mailbox) { heard.append(event) }
        #expect(heard.count == 3)
        guard case .event(let event) = heard.first else { return #expect(Bool(false), "not typed") }
        #expect(event.offset == 1 && event.event.type == .memberLeft && event.room.name == general)
        let inbox = Room(name: "#ann")
        #expect(inbox.map { .unknown(room: $0, offset: nil, json: strange) } == heard[1])
    }
}
