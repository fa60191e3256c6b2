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
    private var lastLife: UInt64 = 0
    private(set) var sizes = RingSizes()

    package init(limits: Limits = Limits()) { self.limits = limits }

    package var roomCount: Int { rings.count }

    package mutating func append(_ publication: Publication, to room: Room) {
        if rings[room] == nil { lastLife += 1 }
        change(room) { $0.append(publication) }
    }

    /// Changes the ring in place: with a second reference, every event would copy the whole ring.
    private mutating func change(_ room: Room, _ body: (inout RoomRing) -> Void) {
        let limits = limits
        let (difference, size) = rings[room, default: RoomRing(life: lastLife)].changed { ring in
            body(&ring)
            ring.trim(to: limits)
        }
        byteCount += difference
        if let size { list(room, size) }
        while byteCount > limits.bytesOfAllRooms, evict() {}
    }

    private mutating func list(_ room: Room, _ entry: RingSizes.Entry) {
        sizes.add(room, entry)
        // At least half of the entries go, so pruning costs O(1) per entry.
        guard sizes.count > 2 * rings.count + 64 else { return }
        let rings = rings
        sizes.prune { rings[$0]?.listed == $1 }
    }

    /// - Returns: False when nothing is left to evict.
    private mutating func evict() -> Bool {
        while let (room, entry) = sizes.popLargest() {
            // No local copy of the ring: dropping its first event would copy its buffer.
            guard rings[room]?.listed == entry, let sizeClass = rings[room]?.sizeClass else { continue }
            // The ring has shrunk since this entry.
            if sizeClass < entry.sizeClass {
                relist(room)
                continue
            }
            let dropped = rings[room]?.dropFirst()
            byteCount -= dropped?.byteCount ?? 0
            evictedCount += 1
            if rings[room]?.publications.isEmpty ?? true { rings[room] = nil } else { relist(room) }
            return true
        }
        return false
    }

    /// Lists the ring after the others of its size class, so that they take turns.
    private mutating func relist(_ room: Room) {
        if let entry = rings[room]?.list() { list(room, entry) }
    }

    /// Records that a message was deleted; kept events lose its content when somebody recovers them.
    package mutating func redact(_ message: MessageID, in room: Room, at time: Int64) {
        rings[room]?.redact(message, at: time)
    }

    /// Deletions that kept events may still have to lose content for.
    func deletionCount(in room: Room) -> Int { rings[room]?.deletionCount ?? 0 }

    /// Encodes an event that is still kept and not encoded yet.
    package mutating func word(_ offset: UInt64, in room: Room, _ body: (Publication) -> Publication) {
        guard rings[room]?.unworded(at: offset) != nil else { return }
        change(room) { $0.replace(at: offset, body) }
    }

    /// Encodes all events that are not encoded yet.
    package mutating func wordAll(_ body: (Publication) -> Publication) {
        for room in rings.keys.sorted() {
            let offsets = rings[room]?.publications.filter { $0.unworded != nil }.map(\.offset) ?? []
            for offset in offsets { word(offset, in: room, body) }
        }
    }

    /// Drops a room that has ended; a new one with the same name starts at offset 1.
    package mutating func forget(_ room: Room) {
        guard let ring = rings.removeValue(forKey: room) else { return }
        byteCount -= ring.byteCount
    }

    /// The events a client missed between its position and the room's top.
    ///
    /// - Parameters:
    ///   - offset: The last one the client has.
    ///   - top: The room's last event; everything up to it has been appended.
    ///   - redacted: Gives an event without its deleted part; `nil` if it cannot. Then nothing of the room stays
    ///     recoverable, as the content must not be delivered.
    /// - Returns: Exactly the events `offset + 1 ... top`, or `nil` when not all of them are kept.
    package mutating func missed(
        in room: Room, after offset: UInt64, upTo top: UInt64,
        redacting redacted: (Publication, DeletedPart) -> Publication?
    ) -> [Publication]? {
        guard offset <= top else { return nil }
        guard offset < top else { return [] }
        guard reaches(room, from: offset, upTo: top) else { return nil }
        if deletionCount(in: room) > 0 {
            var isRedacted = true
            change(room) { isRedacted = $0.redact(after: offset, redacted) }
            guard isRedacted else {
                forget(room)
                return nil
            }
            // A tombstone may be larger than a very short message, so old events may have been evicted.
            guard reaches(room, from: offset, upTo: top) else { return nil }
        }
        guard let publications = rings[room]?.publications, let first = publications.first else { return nil }
        return Array(publications.dropFirst(Int(offset + 1 - first.offset)))
    }

    private func reaches(_ room: Room, from offset: UInt64, upTo top: UInt64) -> Bool {
        guard let publications = rings[room]?.publications, let first = publications.first else { return false }
        return first.offset <= offset + 1 && publications.last?.offset == top
    }
}
