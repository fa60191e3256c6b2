import ChatModel
import WireProtocol

/// The last events of every room, from which connections recover what they missed.
///
/// Bounded per room and in total. Over the total, the largest rings each evict their oldest event, so small rooms lose
/// nothing however much others write.
package struct RoomRings: Sendable {
    package struct Limits: Sendable, Equatable {
        package var eventsPerRoom = 1_000
        package var bytesPerRoom = 1_048_576
        package var bytesOfAllRooms = 268_435_456
        package init() {}
    }

    package let limits: Limits
    package private(set) var byteCount = 0
    /// Events evicted because of the total limit.
    package private(set) var evictedCount = 0
    private var rings: [Room: RoomRing] = [:]
    private var lastGeneration: UInt64 = 0
    private(set) var sizes = RingSizes()

    package init(limits: Limits = Limits()) { self.limits = limits }

    package var roomCount: Int { rings.count }

    package mutating func append(_ event: EncodedEvent, to room: Room) {
        if rings[room] == nil { lastGeneration += 1 }
        change(room) { $0.append(event) }
    }

    /// Changes the ring in place: with a second reference, every event would copy the whole ring.
    private mutating func change(_ room: Room, _ body: (inout RoomRing) -> Void) {
        let limits = limits
        let (difference, newEntry) = rings[room, default: RoomRing(generation: lastGeneration)].change { ring in
            body(&ring)
            ring.trim(to: limits)
        }
        byteCount += difference
        if let newEntry { addSizeEntry(room, newEntry) }
        while byteCount > limits.bytesOfAllRooms, evict() {}
    }

    private mutating func addSizeEntry(_ room: Room, _ entry: RingSizes.Entry) {
        sizes.add(room, entry)
        // At least half of the entries go, so pruning costs O(1) per entry.
        guard sizes.count > 2 * rings.count + 64 else { return }
        let rings = rings
        sizes.prune { rings[$0]?.sizeEntry == $1 }
    }

    /// - Returns: False when nothing is left to evict.
    private mutating func evict() -> Bool {
        while let (room, entry) = sizes.popLargest() {
            // No local copy of the ring: dropping its first event would copy its buffer.
            guard rings[room]?.sizeEntry == entry, let sizeClass = rings[room]?.sizeClass else { continue }
            // The ring has shrunk since this entry.
            if sizeClass < entry.sizeClass {
                renewSizeEntry(of: room)
                continue
            }
            let dropped = rings[room]?.dropFirst()
            byteCount -= dropped?.byteCount ?? 0
            evictedCount += 1
            if rings[room]?.events.isEmpty ?? true { rings[room] = nil } else { renewSizeEntry(of: room) }
            return true
        }
        return false
    }

    /// Moves the ring behind the others of its size class, so that they take turns.
    private mutating func renewSizeEntry(of room: Room) {
        if let entry = rings[room]?.renewSizeEntry() { addSizeEntry(room, entry) }
    }

    /// Records that a message was deleted; kept events lose its content when a client recovers them.
    package mutating func redact(_ message: MessageID, in room: Room, at time: Int64) {
        rings[room]?.redact(message, at: time)
    }

    /// Number of deletions whose content kept events may still hold.
    func deletionCount(in room: Room) -> Int { rings[room]?.deletionCount ?? 0 }

    /// Encodes an event that is still kept and not encoded yet.
    package mutating func encode(_ offset: UInt64, in room: Room, _ body: (EncodedEvent) -> EncodedEvent) {
        guard rings[room]?.unencoded(at: offset) != nil else { return }
        change(room) { $0.replace(at: offset, body) }
    }

    /// Encodes all events that are not encoded yet.
    package mutating func encodeAll(_ body: (EncodedEvent) -> EncodedEvent) {
        for room in rings.keys.sorted() {
            let offsets = rings[room]?.events.filter { $0.unencoded != nil }.map(\.offset) ?? []
            for offset in offsets { encode(offset, in: room, body) }
        }
    }

    /// Removes a room that has ended; a new one with the same name starts at offset 1.
    package mutating func remove(_ room: Room) {
        guard let ring = rings.removeValue(forKey: room) else { return }
        byteCount -= ring.byteCount
    }

    /// The events a client missed between its position and the room's top.
    ///
    /// - Parameters:
    ///   - offset: The last one the client has.
    ///   - top: The room's last event; everything up to it has been appended.
    ///   - redacted: Returns an event without its deleted part; `nil` if it cannot. Then nothing of the room stays
    ///     recoverable, because the content must not be delivered.
    /// - Returns: Exactly the events `offset + 1 ... top`, or `nil` when not all of them are kept.
    package mutating func missed(
        in room: Room, after offset: UInt64, upTo top: UInt64,
        redacting redacted: (EncodedEvent, DeletedPart) -> EncodedEvent?
    ) -> [EncodedEvent]? {
        guard offset <= top else { return nil }
        guard offset < top else { return [] }
        guard covers(room, from: offset, upTo: top) else { return nil }
        if deletionCount(in: room) > 0 {
            var isRedacted = true
            change(room) { isRedacted = $0.redact(after: offset, redacted) }
            guard isRedacted else {
                remove(room)
                return nil
            }
            // A tombstone may be larger than a very short message, so old events may have been evicted.
            guard covers(room, from: offset, upTo: top) else { return nil }
        }
        guard let events = rings[room]?.events, let first = events.first else { return nil }
        return Array(events.dropFirst(Int(offset + 1 - first.offset)))
    }

    private func covers(_ room: Room, from offset: UInt64, upTo top: UInt64) -> Bool {
        guard let events = rings[room]?.events, let first = events.first else { return false }
        return first.offset <= offset + 1 && events.last?.offset == top
    }
}
