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

    @Test func `over the budget of all rooms the oldest event of all goes first`() {
        var rings = rings(allBytes: 4)
        rings.append(publication(1, "x"), to: general)
        rings.append(publication(1, "x"), to: random)
        rings.append(publication(2, "x"), to: general)
        rings.append(publication(2, "x"), to: random)
        rings.append(publication(3, "x"), to: random)
        #expect(offsets(rings, after: 0, upTo: 2) == nil)
        #expect(offsets(rings, after: 1, upTo: 2) == [2])
        #expect(offsets(rings, random, after: 0, upTo: 3) == [1, 2, 3])
        rings.append(publication(4, "12345"), to: random)
        #expect(rings.byteCount == 0 && rings.roomCount == 0, "an event that is larger than the budget is not kept")
        #expect(offsets(rings, random, after: 3, upTo: 4) == nil)
        #expect(offsets(rings, random, after: 4, upTo: 4) == [])
        rings.append(publication(5, "x"), to: random)
        #expect(offsets(rings, random, after: 4, upTo: 5) == [5])
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
        // Now the oldest event of all is the other room's, not the one that the first life left an entry for.
        rings.append(publication(2, "b"), to: general)
        #expect(offsets(rings, after: 0, upTo: 2) == [1, 2])
        #expect(offsets(rings, random, after: 0, upTo: 2) == nil)
    }

    /// A quiet room's event at the front kept the entries of all that a busy room had long dropped: 40 bytes for each
    /// event that ever happened, for ever.
    @Test func `a quiet room does not make the bookkeeping of a busy one grow`() {
        var rings = rings(events: 10)
        rings.append(publication(1, "x"), to: random)
        for offset in 1...100_000 as ClosedRange<UInt64> { rings.append(publication(offset, "x"), to: general) }
        #expect(rings.order.count < 10_000)
        #expect(offsets(rings, random, after: 0, upTo: 1) == [1])
        #expect(offsets(rings, after: 99_990, upTo: 100_000) == Array(99_991...100_000))
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `rings equal a naive list of everything`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (events, roomBytes, allBytes) = (
            Int.random(in: 1...8, using: &generator), Int.random(in: 1...40, using: &generator),
            Int.random(in: 1...60, using: &generator)
        )
        var rings = rings(events: events, roomBytes: roomBytes, allBytes: allBytes)
        let rooms: [Room] = [general, random, "third", "#ann"]
        var kept: [(room: Room, offset: UInt64, size: Int)] = []
        var tops: [Room: UInt64] = [:]
        for step in 0..<160 {
            let room = generator.pick(rooms)
            let size = Int.random(in: 1...12, using: &generator)
            if generator.chance(percent: 4) {
                let ended = generator.pick(rooms)
                rings.forget(ended)
                kept.removeAll { $0.room == ended }
                tops[ended] = nil
            }
            tops[room, default: 0] += 1
            rings.append(publication(tops[room] ?? 0, String(repeating: "x", count: size)), to: room)
            kept.append((room, tops[room] ?? 0, size))
            while true {
                let own = kept.filter { $0.room == room }
                guard own.count > events || own.count > 1 && own.map(\.size).reduce(0, +) > roomBytes else { break }
                kept.remove(at: kept.firstIndex { $0.room == room } ?? 0)
            }
            while kept.map(\.size).reduce(0, +) > allBytes { kept.removeFirst() }
            #expect(rings.byteCount == kept.map(\.size).reduce(0, +), "seed \(seed)")
            guard step % 4 == 0 else { continue }
            for room in rooms {
                let top = tops[room] ?? 0
                let own = kept.filter { $0.room == room }.map(\.offset)
                for after in 0...top + 1 {
                    let wanted = after < top ? Array(after + 1...top) : []
                    let expected = after > top ? nil : Set(wanted).isSubset(of: own) ? wanted : nil
                    #expect(offsets(rings, room, after: after, upTo: top) == expected, "seed \(seed)")
                }
            }
        }
        #expect(rings.order.count <= 2 * kept.count + 64, "seed \(seed)")
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
