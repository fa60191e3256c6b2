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
        private(set) var publications: Deque<Publication> = []
        private(set) var byteCount = 0

        /// - Returns: How many events, of how many bytes, had to go, and the ring's life.
        mutating func append(
            _ publication: Publication, within limits: Limits
        ) -> (events: Int, bytes: Int, life: UInt64) {
            publications.append(publication)
            byteCount += publication.byteCount
            var (events, bytes) = (0, 0)
            while isOver(limits), let dropped = dropFirst() {
                events += 1
                bytes += dropped.byteCount
            }
            return (events, bytes, life)
        }

        mutating func dropFirst() -> Publication? {
            guard let dropped = publications.popFirst() else { return nil }
            byteCount -= dropped.byteCount
            return dropped
        }

        /// - Returns: How many more bytes there are.
        mutating func replace(from offset: UInt64, _ body: (Publication) -> Publication?) -> Int {
            guard let first = publications.first?.offset else { return 0 }
            let start = offset > first ? Int(clamping: offset - first) : 0
            let before = byteCount
            guard start < publications.count else { return 0 }
            for index in start..<publications.count {
                guard let publication = body(publications[index]) else { continue }
                byteCount += publication.byteCount - publications[index].byteCount
                publications[index] = publication
            }
            return byteCount - before
        }

        private func isOver(_ limits: Limits) -> Bool {
            publications.count > limits.eventsPerRoom || byteCount > limits.bytesPerRoom && publications.count > 1
        }
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

    /// Changes the ring in place: with a second reference to it every event would cost a copy of the whole ring.
    package mutating func append(_ publication: Publication, to room: Room) {
        if rings[room] == nil { lastLife += 1 }
        let dropped = rings[room, default: Ring(life: lastLife)].append(publication, within: limits)
        byteCount += publication.byteCount - dropped.bytes
        eventCount += 1 - dropped.events
        order.append((room, dropped.life, publication.offset))
        while byteCount > limits.bytesOfAllRooms, let oldest = order.popFirst() {
            if first(of: oldest.room, oldest.life) == oldest.offset { dropFirst(of: oldest.room) }
        }
        // Entries of dropped events may not pile up. Half of them at least go, so the pass costs O(1) per event.
        if order.count > 2 * eventCount + 64 { order = Deque(order.filter { isKept($0.offset, in: $0.room, $0.life) }) }
    }

    private func isKept(_ offset: UInt64, in room: Room, _ life: UInt64) -> Bool {
        first(of: room, life).map { $0 <= offset } ?? false
    }

    /// The oldest offset that is kept of a room, in that life of it.
    private func first(of room: Room, _ life: UInt64) -> UInt64? {
        guard let ring = rings[room], ring.life == life else { return nil }
        return ring.publications.first?.offset
    }

    private mutating func dropFirst(of room: Room) {
        guard let dropped = rings[room]?.dropFirst() else { return }
        byteCount -= dropped.byteCount
        eventCount -= 1
        if rings[room]?.publications.isEmpty ?? false { rings[room] = nil }
    }

    /// Gives kept events another wording, from an offset on.
    ///
    /// - Parameter body: Gives the new one, under the same offset; `nil` where the event stays as it is.
    package mutating func replace(in room: Room, from offset: UInt64, _ body: (Publication) -> Publication?) {
        byteCount += rings[room]?.replace(from: offset, body) ?? 0
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
