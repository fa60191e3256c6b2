import BelfryClient
import Testing

@testable import BelfryLoad

struct SharesTests {
    @Test func `shares must be five numbers, not all 0`() {
        #expect(Shares("24,6,8,46,16") == Shares.standard)
        #expect(Shares.standard.text == "24,6,8,46,16")
        for text in ["", "1,2,3,4", "1,2,3,4,5,6", "0,0,0,0,0", "1,2,3,4,x", "1,2,3,4,-5", "1,2,3,4,1001"] {
            #expect(Shares(text) == nil)
        }
    }

    @Test func `random draws follow the shares`() throws {
        var random = SeededGenerator(seed: 3)
        let only = try #require(Shares("0,0,1,0,0"))
        #expect((0..<100).allSatisfy { _ in only.next(&random) == .react })
        let drawn = (0..<20_000).map { _ in Shares.standard.next(&random) }
        #expect(abs(Double(drawn.count { $0 == .read }) / 20_000 - 0.46) < 0.02)
        #expect(abs(Double(drawn.count { $0 == .reply }) / 20_000 - 0.06) < 0.02)
    }
}

struct MixedBookTests {
    private let id = "01890a5d-ac96-774b-bcce-b302099a8057"

    @Test func `a reaction is pending once, then present, then removed`() throws {
        var (book, random) = (MixedBook(rooms: 1), SeededGenerator(seed: 1))
        #expect(book.beginReaction(of: 0, in: 0, &random) == nil)
        book.recordMessage(0, id: id, at: 5, in: 0)
        var begun: [MixedBook.Reaction] = []
        // There are three keys, so a fourth reaction cannot begin.
        for _ in 0..<40 {
            if let (reaction, adds) = book.beginReaction(of: 0, in: 0, &random) {
                #expect(adds && !begun.contains(reaction))
                begun.append(reaction)
            }
        }
        #expect(begun.count == MixedBook.keys.count)
        let first = begun[0]
        book.recordReaction(first, adds: true, in: 0)
        #expect(book.counts == [id: [first.key: 1]])
        let again = try #require(book.beginReaction(of: 0, in: 0, &random))
        #expect(again.0 == first && !again.adds)
        book.recordReaction(first, adds: false, in: 0)
        #expect(book.counts.isEmpty && book.rooms[0].reactions == 2)
    }

    @Test func `a marker is the highest acknowledged one`() {
        var book = MixedBook(rooms: 1)
        for offset in [4, 9, 7] as [UInt64] { book.recordMarker(2, in: 0, at: offset) }
        #expect(book.markers == [.init(user: 2, room: 0): 9])
    }

    @Test func `only the newest messages get replies`() {
        var book = MixedBook(rooms: 1)
        for number in 0..<50 { book.recordMessage(number, id: "\(number)", at: UInt64(number + 1), in: 0) }
        #expect(book.rooms[0].recent.count == MixedBook.recentLimit && book.rooms[0].recent.last == "49")
        #expect(book.rooms[0].places.count == 50)
    }

    @Test func `differing reaction counts are reported`() {
        func reaction(_ key: String, _ count: Int) -> Reaction {
            Reaction(key: key, count: count, userIDs: [], mine: false, updatedAt: 1)
        }
        func difference(_ found: [Reaction], _ expected: [String: Int]) -> String? {
            MixedInquiry.difference(of: "m", found, from: expected)
        }
        #expect(difference([reaction("a", 2), reaction("b", 0)], ["a": 2]) == nil)
        #expect(difference([], [:]) == nil)
        #expect(difference([reaction("a", 1)], ["a": 2]) == "reactions of m: 1 a, not 2 a")
        #expect(difference([], ["a": 2]) == "reactions of m: none, not 2 a")
        #expect(difference([reaction("b", 1)], [:]) == "reactions of m: 1 b, not none")
    }

    @Test func `a kind received more or less often than acknowledged is reported`() {
        var book = MixedBook(rooms: 1)
        book.recordMessage(0, id: id, at: 1, in: 0)
        book.recordReply(1, at: 2, in: 0)
        let ledger = RoomLedger()
        ledger.record(.init(offset: 1, sequence: 0, kind: .message))
        #expect(MixedResult.miscount(ledger, book.rooms[0]) == "0 of 1 replies")
        ledger.record(.init(offset: 2, sequence: 1, kind: .reply))
        #expect(MixedResult.miscount(ledger, book.rooms[0]) == nil)
        ledger.record(.init(offset: 3, sequence: -1, kind: .reaction))
        #expect(MixedResult.miscount(ledger, book.rooms[0]) == "1 of 0 reactions")
    }
}

struct MixedEventsTests {
    private let events = MixedEvents(run: "r1")
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a reply is recognized by its own number, whatever its parent's text is`() {
        let json =
            #"{"at":1,"message":{"channel_id":"c","client_id":"r1-7","parent":{"text":"x"}},"type":"thread.reply"}"#
        #expect(events.kind(of: bytes(json)) == .reply)
        #expect(events.sequence(in: bytes(json)) == 7)
    }

    @Test func `other events are not messages of the run`() {
        #expect(events.kind(of: bytes(#"{"at":1,"typing":{},"type":"typing.started"}"#)) == .other)
        #expect(events.kind(of: bytes(#"{"reaction":{"key":"a"},"type":"reaction.updated"}"#)) == .reaction)
        #expect(events.sequence(in: bytes(#"{"message":{"client_id":"r2-7"},"type":"message.new"}"#)) == nil)
    }

    @Test func `replies contain the message or the marker`() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057"
        let sent = #"{"message":{"channel_id":"c","client_id":"r1-7","id":"\#(id)","offset":3,"user":{"id":"u"}}}"#
        #expect(MixedEvents.Answer.messageID(in: bytes(sent)) == id)
        #expect(MixedEvents.Answer.messageID(in: bytes("{}")) == nil)
        let read = #"{"read":{"channel_id":"c","last_read":{"message_id":"\#(id)","offset":12},"user_id":"u"}}"#
        #expect(MixedEvents.Answer.readOffset(in: bytes(read)) == 12)
        #expect(MixedEvents.Answer.readOffset(in: bytes("{}")) == nil)
    }
}
