import ChatModel
import WireProtocol

/// The most recent events of every room, from which connections recover missed events.
///
/// Bounded per room and in total. Above the total limit, the largest rings take turns evicting their oldest event, so
/// busy rooms do not displace the events of small ones.
package struct RoomRings: Sendable {
    package struct Limits: Sendable, Equatable {
        package var eventsPerRoom = 1_000
        package var bytesPerRoom = 1_048_576
        package var bytesOfAllRooms = 268_435_456
        package init() {}
    }

    package let limits: Limits
    package private(set) var byteCount = 0
    /// The number of events evicted because of the total limit.
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

    /// Changes a ring in place; a second reference would make every event copy the whole ring.
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
        // Pruning removes at least half of the entries, so it costs amortized O(1) per entry.
        guard sizes.count > 2 * rings.count + 64 else { return }
        let rings = rings
        sizes.prune { rings[$0]?.sizeEntry == $1 }
    }

    /// - Returns: False if nothing is left to evict.
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

    /// Moves the ring to the end of its size class, so that rings take turns.
    private mutating func renewSizeEntry(of room: Room) {
        if let entry = rings[room]?.renewSizeEntry() { addSizeEntry(room, entry) }
    }

    /// Records that a message was deleted. Its content is removed from kept events when a client recovers them.
    package mutating func redact(_ message: MessageID, in room: Room, at time: Int64) {
        rings[room]?.redact(message, at: time)
    }

    /// Returns the number of deleted messages whose content may still be in kept events.
    func deletionCount(in room: Room) -> Int { rings[room]?.deletionCount ?? 0 }

    /// Encodes an event, if it is still kept and not yet encoded.
    package mutating func encode(_ offset: UInt64, in room: Room, _ body: (EncodedEvent) -> EncodedEvent) {
        guard rings[room]?.unencoded(at: offset) != nil else { return }
        change(room) { $0.replace(at: offset, body) }
    }

    /// Encodes all events that are not yet encoded.
    package mutating func encodeAll(_ body: (EncodedEvent) -> EncodedEvent) {
        for room in rings.keys.sorted() {
            let offsets = rings[room]?.events.filter { $0.unencoded != nil }.map(\.offset) ?? []
            for offset in offsets { encode(offset, in: room, body) }
        }
    }

    /// Removes the events up to an offset, and the content of older messages from later events once they are recovered.
    ///
    /// - Parameter firstKept: The oldest message that was not removed; `nil` if all were.
    package mutating func trim(_ room: Room, upTo offset: UInt64, firstKept: MessageID?, at time: Int64) {
        change(room) { $0.trim(upTo: offset, firstKept: firstKept, at: time) }
    }

    /// All rooms, sorted.
    package var rooms: [Room] { rings.keys.sorted() }

    /// Removes the events that contain some bytes, and all earlier ones.
    ///
    /// - Returns: The number of bytes searched.
    package mutating func removeEvents(containing bytes: [UInt8], from room: Room) -> Int {
        guard let ring = rings[room] else { return 0 }
        let size = ring.byteCount
        guard let last = ring.lastOffset(containing: bytes) else { return size }
        change(room) { $0.removeAll(upTo: last) }
        return size
    }

    /// Removes a deleted room. A new room with the same name starts at offset 1.
    package mutating func remove(_ room: Room) {
        guard let ring = rings.removeValue(forKey: room) else { return }
        byteCount -= ring.byteCount
    }

    /// Returns the events a client missed between its position and the top of the room.
    ///
    /// - Parameters:
    ///   - offset: The offset of the last event the client has.
    ///   - top: The offset of the room's last event; all events up to it have been appended.
    ///   - redacted: Returns an event without its deleted part, or `nil` if that fails. In that case the room's ring is
    ///     removed, because the deleted content must not be delivered.
    /// - Returns: The events `offset + 1 ... top`, or `nil` if some of them are no longer kept.
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
