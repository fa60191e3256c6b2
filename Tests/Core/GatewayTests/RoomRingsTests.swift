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
        var rings = rings
        return rings.missed(in: room, after: offset, upTo: top) { event, _ in event }?.map(\.offset)
    }

    @Test(
        arguments: [
            (0, nil), (6, nil), (7, [8, 9, 10]), (8, [9, 10]), (9, [10]), (10, []), (11, nil), (1 << 63, nil),
            (UInt64.max, nil),
        ] as [(UInt64, [UInt64]?)])
    func `recovery returns exactly what was missed, or nothing`(after: UInt64, missed: [UInt64]?) {
        var rings = rings(events: 3)
        for offset in 1...10 as ClosedRange<UInt64> { rings.append(encodedEvent(offset, "x"), to: general) }
        #expect(offsets(rings, after: after, upTo: 10) == missed)
    }

    @Test func `a room without a ring has missed nothing at its top, and cannot recover any other position`() {
        let rings = rings()
        #expect(offsets(rings, after: 0, upTo: 0) == [])
        #expect(offsets(rings, after: 5, upTo: 5) == [])
        #expect(offsets(rings, after: 4, upTo: 5) == nil)
        #expect(offsets(rings, after: UInt64.max, upTo: UInt64.max) == [])
    }

    @Test func `a ring that does not reach the room's top recovers nothing`() {
        var rings = rings()
        rings.append(encodedEvent(1, "x"), to: general)
        #expect(offsets(rings, after: 0, upTo: 2) == nil)
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
    }

    @Test func `a room's bytes are limited, and its last event is always kept`() {
        var rings = rings(roomBytes: 10)
        rings.append(encodedEvent(1, "12345"), to: general)
        rings.append(encodedEvent(2, "12345"), to: general)
        #expect(rings.byteCount == 10)
        rings.append(encodedEvent(3, "1"), to: general)
        #expect(rings.byteCount == 6)
        #expect(offsets(rings, after: 1, upTo: 3) == [2, 3])
        #expect(offsets(rings, after: 0, upTo: 3) == nil)
        rings.append(encodedEvent(4, "123", redacted: "1234567890"), to: general)
        #expect(rings.byteCount == 13, "the redacted form counts; one event is kept whatever its size")
        #expect(offsets(rings, after: 3, upTo: 4) == [4])
    }

    @Test func `when the total budget is exceeded, the largest ring drops its oldest event first`() {
        var rings = rings(allBytes: 4)
        rings.append(encodedEvent(1, "x"), to: general)
        rings.append(encodedEvent(1, "x"), to: random)
        rings.append(encodedEvent(2, "x"), to: random)
        rings.append(encodedEvent(3, "x"), to: random)
        #expect(rings.evictedCount == 0)
        rings.append(encodedEvent(4, "x"), to: random)
        #expect(offsets(rings, after: 0, upTo: 1) == [1], "the oldest event of all, in a small ring")
        #expect(offsets(rings, random, after: 0, upTo: 4) == nil)
        #expect(offsets(rings, random, after: 1, upTo: 4) == [2, 3, 4])
        #expect(rings.evictedCount == 1)
        rings.append(encodedEvent(5, "12345"), to: random)
        #expect(rings.byteCount == 1 && rings.roomCount == 1, "an event that is larger than the budget is not kept")
        #expect(offsets(rings, random, after: 4, upTo: 5) == nil)
        #expect(offsets(rings, random, after: 5, upTo: 5) == [])
        rings.append(encodedEvent(6, "x"), to: random)
        #expect(offsets(rings, random, after: 5, upTo: 6) == [6])
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
    }

    /// Issue 20, N04: one user filled 320 of their own rooms, and within 12 seconds nobody else could recover anything.
    @Test func `one user's many large rooms evict nobody else's events`() {
        var rings = rings(roomBytes: 1_000, allBytes: 250_000)
        for offset in 1...15 as ClosedRange<UInt64> { rings.append(encodedEvent(offset, "hello"), to: general) }
        let large = String(repeating: "x", count: 240)
        for offset in 1...20 as ClosedRange<UInt64> {
            for number in 0..<1_000 {
                rings.append(encodedEvent(offset, large), to: Room(name: "own\(number)") ?? random)
            }
        }
        #expect(rings.byteCount <= 250_000 && rings.byteCount > 249_000)
        #expect(offsets(rings, after: 0, upTo: 15) == Array(1...15))
        #expect(rings.evictedCount > 10_000)
        #expect(rings.sizes.count <= 2 * rings.roomCount + 64)
    }

    @Test func `rings of equal size are evicted in turn`() {
        var rings = rings(allBytes: 40)
        let rooms: [Room] = [general, random, "third", "fourth"]
        for offset in 1...10 as ClosedRange<UInt64> {
            for room in rooms { rings.append(encodedEvent(offset, "x"), to: room) }
        }
        for room in rooms { rings.append(encodedEvent(11, "x"), to: room) }
        for room in rooms { #expect(offsets(rings, room, after: 1, upTo: 11)?.count == 10) }
        #expect(rings.evictedCount == 4)
    }

    @Test func `CH14: a closed room is discarded, and its next incarnation shares nothing with it`() {
        var rings = rings(allBytes: 3)
        rings.append(encodedEvent(1, "a"), to: general)
        rings.append(encodedEvent(1, "x"), to: random)
        rings.remove(general)
        rings.remove("#nobody")
        #expect(rings.byteCount == 1 && rings.roomCount == 1)
        #expect(offsets(rings, after: 0, upTo: 1) == nil)
        rings.append(encodedEvent(1, "b"), to: general)
        rings.append(encodedEvent(2, "x"), to: random)
        // The other room now has the larger ring, regardless of the first incarnation.
        rings.append(encodedEvent(3, "x"), to: random)
        #expect(offsets(rings, after: 0, upTo: 1) == [1])
        #expect(offsets(rings, random, after: 0, upTo: 3) == nil)
        #expect(offsets(rings, random, after: 1, upTo: 3) == [2, 3])
    }

    /// Regression: a quiet room's event at the front retained the entries of all events that a busy room had dropped,
    /// at 40 bytes each.
    @Test func `a quiet room does not make a busy one's bookkeeping grow`() {
        var rings = rings(events: 10, allBytes: 8)
        rings.append(encodedEvent(1, "x"), to: random)
        for offset in 1...100_000 as ClosedRange<UInt64> { rings.append(encodedEvent(offset, "x"), to: general) }
        #expect(rings.sizes.count <= 70)
        #expect(offsets(rings, random, after: 0, upTo: 1) == [1])
        #expect(offsets(rings, after: 99_993, upTo: 100_000) == Array(99_994...100_000))
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `rings keep each room's last events, and only the largest shrink to fit the budget`(seed: UInt64) {
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
        /// Returns the number of events in a room's ring.
        func count(_ room: Room) -> Int {
            let top = tops[room] ?? 0
            return (0..<Int(top)).reversed().reduce(0) { found, before in
                offsets(rings, room, after: UInt64(before), upTo: top)?.count ?? found
            }
        }
        for _ in 0..<160 {
            let room = generator.pick(rooms)
            let size = Int.random(in: 1...12, using: &generator)
            if generator.chance(percent: 4) {
                let ended = generator.pick(rooms)
                rings.remove(ended)
                (kept[ended], tops[ended]) = (nil, nil)
            }
            tops[room, default: 0] += 1
            rings.append(encodedEvent(tops[room] ?? 0, String(repeating: "x", count: size)), to: room)
            kept[room, default: []].append((tops[room] ?? 0, size))
            while kept[room, default: []].count > events || bytes(room) > roomBytes && kept[room, default: []].count > 1
            {
                kept[room]?.removeFirst()
            }
            // All other missing events were evicted to fit the budget.
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
                // The size of the last evicted ring is more than half of any current ring's.
                #expect(total > allBytes && 2 * victim.lastSize > largest, "seed \(seed)")
            }
            #expect(
                rings.byteCount == rooms.reduce(0) { $0 + bytes($1) } && rings.byteCount <= allBytes, "seed \(seed)")
        }
        #expect(rings.sizes.count <= 2 * rooms.count + 64, "seed \(seed)")
    }

    // MARK: Events that are encoded late

    private final class Late: UnencodedEvent {
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
    }

    @Test func `evicted events are never encoded, and encoded ones count by their bytes`() {
        var rings = rings(events: 3, roomBytes: 20)
        for offset in 1...5 as ClosedRange<UInt64> {
            rings.append(EncodedEvent(offset: offset, unencoded: Late(1), message: nil, quoted: nil), to: general)
        }
        rings.append(encodedEvent(6, "123"), to: general)
        #expect(rings.byteCount == 5)
        var encoded: [UInt64] = []
        func encode(_ late: EncodedEvent) -> EncodedEvent {
            encoded.append(late.offset)
            return encodedEvent(late.offset, "1234567890")
        }
        rings.encode(1, in: general, encode)
        rings.encode(6, in: general, encode)
        rings.encode(1, in: random, encode)
        #expect(encoded.isEmpty && rings.roomCount == 1)
        rings.encode(5, in: general, encode)
        rings.encode(5, in: general, encode)
        #expect(encoded == [5] && rings.byteCount == 14)
        rings.encodeAll(encode)
        #expect(encoded == [5, 4] && rings.byteCount == 13, "the room's own bound takes the oldest then")
        let missed = rings.missed(in: general, after: 4, upTo: 6) { event, _ in event }
        #expect(missed?.map { text($0.data) } == ["1234567890", "123"])
    }

    // MARK: Deleted content

    private let deleted = MessageID(high: 1, low: 1)
    private let reply = MessageID(high: 1, low: 2)

    private func event(_ offset: UInt64, _ message: MessageID? = nil, quoted: MessageID? = nil) -> EncodedEvent {
        EncodedEvent(offset: offset, data: bytes("12345"), message: message, quoted: quoted)
    }

    /// Returns the events after an offset, and the number of events from which content was removed.
    private func recover(_ rings: inout RoomRings, after offset: UInt64, upTo top: UInt64, as text: String = "1")
        -> (texts: [String]?, asked: [UInt64: DeletedPart])
    {
        var asked: [UInt64: DeletedPart] = [:]
        let missed = rings.missed(in: general, after: offset, upTo: top) { old, part in
            asked[old.offset] = part
            return EncodedEvent(offset: old.offset, data: bytes(text), message: part == .quote ? old.message : nil)
        }
        return (missed?.map { String(decoding: $0.data, as: UTF8.self) }, asked)
    }

    /// Issue 20, N100: deleting a message that had been edited 950 times re-encoded 951 events, which took 41 ms.
    @Test func `MS8: deleted content is removed from an event on its first recovery, and only once`() {
        var rings = rings(events: 5)
        rings.append(event(1, deleted), to: general)
        rings.append(event(2, deleted), to: general)
        rings.append(event(3), to: general)
        rings.append(event(4, reply, quoted: deleted), to: general)
        rings.redact(deleted, in: general, at: 9)
        rings.redact(deleted, in: "nowhere", at: 9)
        rings.append(event(5), to: general)
        #expect(rings.byteCount == 25, "nobody recovered it yet")
        let last = recover(&rings, after: 3, upTo: 5)
        #expect(last.texts == ["1", "12345"] && last.asked == [4: .quote])
        #expect(rings.byteCount == 21)
        rings.redact(reply, in: general, at: 10)
        let all = recover(&rings, after: 0, upTo: 5)
        #expect(all.texts == ["1", "1", "12345", "1", "12345"])
        #expect(all.asked == [1: .message(deletedAt: 9), 2: .message(deletedAt: 9), 4: .message(deletedAt: 10)])
        #expect(rings.byteCount == 13)
        #expect(recover(&rings, after: 0, upTo: 5).asked.isEmpty)
        #expect(recover(&rings, after: 5, upTo: 5).texts == [])
        #expect(recover(&rings, after: .max, upTo: .max).texts == [])
    }

    @Test func `MS8 PR4: a deleted message that retention removes keeps the time of its deletion`() {
        var rings = rings()
        for offset in 1...3 as ClosedRange<UInt64> { rings.append(event(offset, deleted), to: general) }
        rings.redact(deleted, in: general, at: 9)
        for time in [10, 11] as [Int64] { rings.trim(general, upTo: 1, firstKept: nil, at: time) }
        var times: [DeletedPart] = []
        _ = rings.missed(in: general, after: 1, upTo: 3) { event, part in
            times.append(part)
            return event
        }
        #expect(times == [.message(deletedAt: 9), .message(deletedAt: 9)])
    }

    @Test func `MS8: a ring keeps deletions only while it keeps earlier events`() {
        var rings = rings(events: 10)
        for offset in 1...1_000 as ClosedRange<UInt64> {
            let message = MessageID(high: 1, low: offset)
            rings.append(event(offset, message), to: general)
            rings.redact(message, in: general, at: 9)
            rings.redact(message, in: general, at: 9)
            #expect(rings.deletionCount(in: general) <= 10)
        }
        #expect(recover(&rings, after: 990, upTo: 1_000).asked.count == 10)
    }

    @Test func `MS8: a room is not recoverable if deleted content cannot be removed from an event`() {
        var rings = rings()
        rings.append(event(1, deleted), to: general)
        rings.append(event(2), to: general)
        rings.redact(deleted, in: general, at: 9)
        #expect(rings.missed(in: general, after: 1, upTo: 2) { _, _ in nil }?.map(\.offset) == [2])
        #expect(rings.missed(in: general, after: 0, upTo: 2) { _, _ in nil } == nil)
        #expect(rings.roomCount == 0 && rings.byteCount == 0)
    }

    @Test func `MS8: tombstones beyond the ring's limit evict the oldest events`() {
        var rings = rings(roomBytes: 16)
        for offset in 1...3 as ClosedRange<UInt64> { rings.append(event(offset, deleted), to: general) }
        rings.redact(deleted, in: general, at: 9)
        #expect(recover(&rings, after: 0, upTo: 3, as: "1234567").texts == nil)
        #expect(rings.byteCount == 14)
        #expect(recover(&rings, after: 1, upTo: 3).texts == ["1234567", "1234567"])
    }
}
