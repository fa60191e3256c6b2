import ChatModel
import DequeModule
import WireProtocol

/// The last events of every room, from which connections recover what they missed.
///
/// Bounded per room and for all rooms together; over the budget the oldest event of all goes first.
package struct RoomRings: Sendable {
    package struct Limits: Sendable, Equatable {
        package var eventsPerRoom = 1_000
        package var bytesPerRoom = 1_048_576
        package var bytesOfAllRooms = 268_435_456
        package init() {}
    }

    private struct Ring {
        /// Tells the ring from an earlier one of the same room, whose offsets were the same.
        let life: UInt64
        var publications: Deque<Publication> = []
        var byteCount = 0
    }

    package let limits: Limits
    package private(set) var byteCount = 0
    private var eventCount = 0
    private var rings: [Room: Ring] = [:]
    private var lastLife: UInt64 = 0
    /// One entry per kept event, oldest first; entries whose event a room's own limit dropped are passed over.
    private(set) var order: Deque<(room: Room, life: UInt64, offset: UInt64)> = []

    package init(limits: Limits = Limits()) { self.limits = limits }

    package var roomCount: Int { rings.count }

    package mutating func append(_ publication: Publication, to room: Room) {
        if rings[room] == nil { lastLife += 1 }
        rings[room, default: Ring(life: lastLife)].publications.append(publication)
        rings[room]?.byteCount += publication.byteCount
        byteCount += publication.byteCount
        eventCount += 1
        order.append((room, rings[room]?.life ?? 0, publication.offset))
        while let ring = rings[room], isOver(ring) { dropFirst(of: room) }
        while byteCount > limits.bytesOfAllRooms, let oldest = order.popFirst() {
            guard let ring = rings[oldest.room], ring.life == oldest.life,
                ring.publications.first?.offset == oldest.offset
            else { continue }
            dropFirst(of: oldest.room)
        }
        // Entries of dropped events may not pile up. Half of them at least go, so the pass costs O(1) per event.
        if order.count > 2 * eventCount + 64 { order = Deque(order.filter { isKept($0.offset, in: $0.room, $0.life) }) }
    }

    private func isKept(_ offset: UInt64, in room: Room, _ life: UInt64) -> Bool {
        guard let ring = rings[room], ring.life == life, let first = ring.publications.first else { return false }
        return first.offset <= offset
    }

    private func isOver(_ ring: Ring) -> Bool {
        ring.publications.count > limits.eventsPerRoom
            || ring.byteCount > limits.bytesPerRoom && ring.publications.count > 1
    }

    private mutating func dropFirst(of room: Room) {
        guard let dropped = rings[room]?.publications.popFirst() else { return }
        rings[room]?.byteCount -= dropped.byteCount
        byteCount -= dropped.byteCount
        eventCount -= 1
        if rings[room]?.publications.isEmpty ?? false { rings[room] = nil }
    }

    /// The room has come to its end; another of the same name begins at offset 1 again.
    package mutating func forget(_ room: Room) {
        guard let ring = rings.removeValue(forKey: room) else { return }
        byteCount -= ring.byteCount
        eventCount -= ring.publications.count
    }

    /// What a reader missed between a position and the room's top.
    ///
    /// - Parameters:
    ///   - offset: The last one the reader has.
    ///   - top: The room's last event; everything up to it has been appended.
    /// - Returns: Exactly the events `offset + 1 ... top`, or `nil` when they are not all here.
    package func missed(in room: Room, after offset: UInt64, upTo top: UInt64) -> [Publication]? {
        guard offset <= top else { return nil }
        guard offset < top else { return [] }
        guard let publications = rings[room]?.publications, let first = publications.first, first.offset <= offset + 1,
            publications.last?.offset == top
        else { return nil }
        return Array(publications.dropFirst(Int(offset + 1 - first.offset)))
    }
}
