import ChatModel
import TestSupport
import Testing

@testable import Gateway

@Suite struct RoomRingsTests {
    private func rings(events: Int = 1_000, roomBytes: Int = 1_000_000, allBytes: Int = 1_000_000) -> RoomRings {
        var limits = RoomRings.Limits()
        limits.eventsPerRoom = events
        limits.bytesPerRoom = roomBytes
        limits.bytesOfAllRooms = allBytes
        return RoomRings(limits: limits)
    }

    private func offsets(_ rings: RoomRings, _ room: Room = general, after offset: UInt64, upTo top: UInt64)
        -> [UInt64]?
    {
        rings.missed(in: room, after: offset, upTo: top)?.map(\.offset)
    }

    @Test(
        arguments: [
            (0, nil), (6, nil), (7, [8, 9, 10]), (8, [9, 10]), (9, [10]), (10, []), (11, nil), (1 << 63, nil),
            (UInt64.max, nil),
        ] as [(UInt64, [UInt64]?)])
    func `exactly what was missed, or nothing at all`(after: UInt64, missed: [UInt64]?) {
        var rings = rings(events: 3)
        for offset in 1...10 as ClosedRange<UInt64> { rings.append(publication(offset, "x"), to: general) }
        #expect(offsets(rings, after: after, upTo: 10) == missed)
    }

    @Test func `a room that was never heard of has missed nothing at its own top, and nothing else is known`() {
        let rings = rings()
        #expect(offsets(rings, after: 0, upTo: 0) == [])
        #expect(offsets(rings, after: 5, upTo: 5) == [])
        #expect(offsets(rings, after: 4, upTo: 5) == nil)
        #expect(offsets(rings, after: UInt64.max, upTo: UInt64.max) == [])
    }

    @Test func `a ring that does not reach the top gives nothing`() {
        var rings = rings()
        rings.append(publication(1, "x"), to: general)
        #expect(offsets(rings, after: 0, upTo: 2) == nil)
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
    }

    @Test func `a room's bytes are bounded, and its last event stays`() {
        var rings = rings(roomBytes: 10)
        rings.append(publication(1, "12345"), to: general)
        rings.append(publication(2, "12345"), to: general)
        #expect(rings.byteCount == 10)
        rings.append(publication(3, "1"), to: general)
        #expect(rings.byteCount == 6)
        #expect(offsets(rings, after: 1, upTo: 3) == [2, 3])
        #expect(offsets(rings, after: 0, upTo: 3) == nil)
        rings.append(publication(4, "123", redacted: "1234567890"), to: general)
        #expect(rings.byteCount == 13, "the redacted form counts; one event is kept whatever its size")
        #expect(offsets(rings, after: 3, upTo: 4) == [4])
    }

    @Test func `over the budget of all rooms the largest ring gives way, and its oldest event first`() {
        var rings = rings(allBytes: 4)
        rings.append(publication(1, "x"), to: general)
        rings.append(publication(1, "x"), to: random)
        rings.append(publication(2, "x"), to: random)
        rings.append(publication(3, "x"), to: random)
        #expect(rings.evictedCount == 0)
        rings.append(publication(4, "x"), to: random)
        #expect(offsets(rings, after: 0, upTo: 1) == [1], "the oldest event of all, in a small ring")
        #expect(offsets(rings, random, after: 0, upTo: 4) == nil)
        #expect(offsets(rings, random, after: 1, upTo: 4) == [2, 3, 4])
        #expect(rings.evictedCount == 1)
        rings.append(publication(5, "12345"), to: random)
        #expect(rings.byteCount == 1 && rings.roomCount == 1, "an event that is larger than the budget is not kept")
        #expect(offsets(rings, random, after: 4, upTo: 5) == nil)
        #expect(offsets(rings, random, after: 5, upTo: 5) == [])
        rings.append(publication(6, "x"), to: random)
        #expect(offsets(rings, random, after: 5, upTo: 6) == [6])
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
    }

    /// Issue 20, N04: one user filled 320 rooms of their own, and within 12 seconds nobody else could recover anything.
    @Test func `one user's many large rooms push nobody else's events out`() {
        var rings = rings(roomBytes: 1_000, allBytes: 250_000)
        for offset in 1...15 as ClosedRange<UInt64> { rings.append(publication(offset, "hello"), to: general) }
        let large = String(repeating: "x", count: 240)
        for offset in 1...20 as ClosedRange<UInt64> {
            for number in 0..<1_000 {
                rings.append(publication(offset, large), to: Room(name: "own\(number)") ?? random)
            }
        }
        #expect(rings.byteCount <= 250_000 && rings.byteCount > 249_000)
        #expect(offsets(rings, after: 0, upTo: 15) == Array(1...15))
        #expect(rings.evictedCount > 10_000)
        #expect(rings.sizes.count <= 2 * rings.roomCount + 64)
    }

    @Test func `rings of one size give way in turn`() {
        var rings = rings(allBytes: 40)
        let rooms: [Room] = [general, random, "third", "fourth"]
        for offset in 1...10 as ClosedRange<UInt64> {
            for room in rooms { rings.append(publication(offset, "x"), to: room) }
        }
        for room in rooms { rings.append(publication(11, "x"), to: room) }
        for room in rooms { #expect(offsets(rings, room, after: 1, upTo: 11)?.count == 10) }
        #expect(rings.evictedCount == 4)
    }

    @Test func `CH14: a room that ended is forgotten, and its next life shares nothing with it`() {
        var rings = rings(allBytes: 3)
        rings.append(publication(1, "a"), to: general)
        rings.append(publication(1, "x"), to: random)
        rings.forget(general)
        rings.forget("#nobody")
        #expect(rings.byteCount == 1 && rings.roomCount == 1)
        #expect(offsets(rings, after: 0, upTo: 1) == nil)
        rings.append(publication(1, "b"), to: general)
        rings.append(publication(2, "x"), to: random)
        // Now the other room has the larger ring, whatever the first life left.
        rings.append(publication(3, "x"), to: random)
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
        #expect(offsets(rings, random, after: 0, upTo: 3) == nil)
        #expect(offsets(rings, random, after: 1, upTo: 3) == [2, 3])
    }

    /// A quiet room's event at the front kept the entries of all that a busy room had long dropped: 40 bytes for each
    /// event that ever happened, for ever.
    @Test func `a quiet room does not make the bookkeeping of a busy one grow`() {
        var rings = rings(events: 10, allBytes: 8)
        rings.append(publication(1, "x"), to: random)
        for offset in 1...100_000 as ClosedRange<UInt64> { rings.append(publication(offset, "x"), to: general) }
        #expect(rings.sizes.count <= 70)
        #expect(offsets(rings, random, after: 0, upTo: 1) == [1])
        #expect(offsets(rings, after: 99_993, upTo: 100_000) == Array(99_994...100_000))
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `rings keep the last events of each room, and only the largest give way to the budget`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (events, roomBytes, allBytes) = (
            Int.random(in: 1...8, using: &generator), Int.random(in: 1...40, using: &generator),
            Int.random(in: 1...60, using: &generator)
        )
        var rings = rings(events: events, roomBytes: roomBytes, allBytes: allBytes)
        let rooms: [Room] = [general, random, "third", "#ann"]
        var kept: [Room: [(offset: UInt64, size: Int)]] = [:]
        var tops: [Room: UInt64] = [:]
        func bytes(_ room: Room) -> Int { kept[room, default: []].reduce(0) { $0 + $1.size } }
        /// How many of a room's last events there are.
        func count(_ room: Room) -> Int {
            let top = tops[room] ?? 0
            return (0..<Int(top)).reversed().reduce(0) { found, before in
                rings.missed(in: room, after: UInt64(before), upTo: top)?.count ?? found
            }
        }
        for _ in 0..<160 {
            let room = generator.pick(rooms)
            let size = Int.random(in: 1...12, using: &generator)
            if generator.chance(percent: 4) {
                let ended = generator.pick(rooms)
                rings.forget(ended)
                (kept[ended], tops[ended]) = (nil, nil)
            }
            tops[room, default: 0] += 1
            rings.append(publication(tops[room] ?? 0, String(repeating: "x", count: size)), to: room)
            kept[room, default: []].append((tops[room] ?? 0, size))
            while kept[room, default: []].count > events || bytes(room) > roomBytes && kept[room, default: []].count > 1
            {
                kept[room]?.removeFirst()
            }
            // What is gone besides gave way to the budget.
            let total = rooms.reduce(0) { $0 + bytes($1) }
            var victims: [(room: Room, lastSize: Int)] = []
            for room in rooms {
                let gone = kept[room, default: []].count - count(room)
                #expect(gone >= 0, "seed \(seed)")
                guard gone > 0 else { continue }
                victims.append((room, kept[room, default: []].dropFirst(gone - 1).reduce(0) { $0 + $1.size }))
                kept[room]?.removeFirst(gone)
            }
            let largest = rooms.map(bytes).max() ?? 0
            for victim in victims {
                // What a ring had when it gave way last is more than half of what any ring has now.
                #expect(total > allBytes && 2 * victim.lastSize > largest, "seed \(seed)")
            }
            #expect(
                rings.byteCount == rooms.reduce(0) { $0 + bytes($1) } && rings.byteCount <= allBytes, "seed \(seed)")
        }
        #expect(rings.sizes.count <= 2 * rooms.count + 64, "seed \(seed)")
    }

    // MARK: Events that are worded late

    private final class Late: UnwordedEvent {
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
    }

    @Test func `what gave way is not worded, and what is worded counts with its bytes`() {
        var rings = rings(events: 3, roomBytes: 20)
        for offset in 1...5 as ClosedRange<UInt64> {
            rings.append(Publication(offset: offset, unworded: Late(1), message: nil, quoted: nil), to: general)
        }
        rings.append(publication(6, "123"), to: general)
        #expect(rings.byteCount == 5)
        var asked: [UInt64] = []
        func worded(_ late: Publication) -> Publication {
            asked.append(late.offset)
            return publication(late.offset, "1234567890")
        }
        rings.word(1, in: general, worded)
        rings.word(6, in: general, worded)
        rings.word(1, in: random, worded)
        #expect(asked.isEmpty && rings.roomCount == 1)
        rings.word(5, in: general, worded)
        rings.word(5, in: general, worded)
        #expect(asked == [5] && rings.byteCount == 14)
        rings.wordAll(worded)
        #expect(asked == [5, 4] && rings.byteCount == 13, "the room's own bound takes the oldest then")
        #expect(rings.missed(in: general, after: 4, upTo: 6)?.map { text($0.bytes) } == ["1234567890", "123"])
    }

    // MARK: Deleted content

    @Test func `MS8: kept events get another wording from an offset on, and the bytes are counted anew`() {
        var rings = rings(events: 4, roomBytes: 30, allBytes: 40)
        rings.append(publication(1, "other"), to: random)
        for offset in 1...6 as ClosedRange<UInt64> { rings.append(publication(offset, "12345"), to: general) }
        var asked: [UInt64] = []
        rings.replace(in: general, from: 4) { old in
            asked.append(old.offset)
            return old.offset == 5 ? publication(5, "1", redacted: "2") : nil
        }
        #expect(asked == [4, 5, 6], "those before it cannot hold it")
        #expect(rings.byteCount == 22)
        let missed = rings.missed(in: general, after: 2, upTo: 6)
        #expect(missed?.map { text($0.bytes) } == ["12345", "12345", "1", "12345"])
        #expect(missed?[2].redacted.map { text($0.bytes) } == "2")
        // Whatever lies before the first, behind the last or in no room is nothing to look at.
        for (room, from) in [(general, 7), (general, .max), ("nowhere", 0)] as [(Room, UInt64)] {
            rings.replace(in: room, from: from) { _ in
                Issue.record("asked")
                return nil
            }
        }
        asked = []
        rings.replace(in: general, from: 0) { old in
            asked.append(old.offset)
            return nil
        }
        #expect(asked == [3, 4, 5, 6])
        // A wording that takes more room than the limits have lets the oldest go with the next event.
        rings.replace(in: general, from: 6) { _ in publication(6, "1234567890123456789012345") }
        rings.append(publication(7, "x"), to: general)
        #expect(rings.missed(in: general, after: 4, upTo: 7)?.map(\.offset) == [5, 6, 7])
        #expect(rings.missed(in: general, after: 3, upTo: 7) == nil)
    }
}
