import ChatModel
import WireProtocol

/// The rooms that a client is subscribed to, with its position in each.
struct RoomTable {
    enum Origin {
        /// Server-side: the server subscribes the connection and reports changes.
        case server
        /// Client-side: the app requested the room, and the client resubscribes after each connect.
        case client
    }

    enum Verdict: Equatable {
        case deliver
        /// The publication is a duplicate, or its room is not subscribed.
        case drop
        case gap(expected: UInt64)
    }

    struct Room {
        var origin: Origin
        /// The position of the last event received; nil before the first subscription.
        var position: RoomPosition?
        var isSubscribed = false
    }

    private(set) var rooms: [String: Room] = [:]

    subscript(name: String) -> Room? { rooms[name] }

    /// Sorted, so that the same history produces the same commands.
    func names(of origin: Origin) -> [String] {
        rooms.filter { $0.value.origin == origin }.keys.sorted()
    }

    /// Adds a room that the app wants to subscribe to.
    mutating func addWanted(_ name: String) {
        if rooms[name] == nil { rooms[name] = Room(origin: .client) }
    }

    mutating func subscribe(_ name: String, at position: RoomPosition, origin: Origin) {
        rooms[name] = Room(origin: origin, position: position, isSubscribed: true)
    }

    mutating func remove(_ name: String) { rooms[name] = nil }

    /// Suspends all subscriptions, because the connection is gone. Positions are kept.
    mutating func suspendAll() {
        for name in rooms.keys { rooms[name]?.isSubscribed = false }
    }

    /// Checks a publication's offset and advances the position.
    ///
    /// - Parameter offset: 0 for transient events, which have no order.
    mutating func accept(_ name: String, offset: UInt64) -> Verdict {
        guard let room = rooms[name], room.isSubscribed, let last = room.position?.offset else { return .drop }
        if offset == 0 { return .deliver }
        if offset <= last { return .drop }
        guard offset - last == 1 else { return .gap(expected: last + 1) }
        rooms[name]?.position?.offset = offset
        return .deliver
    }

    /// The size limit for positions. A connect command must fit into one message, and a user may be in 2,000 channels.
    static let positionBytes = 49_152

    /// Returns the positions to recover from in `connect`. Rooms that do not fit are left out; the position in the
    /// reply shows whether they missed events.
    func positionsForConnect() -> [String: RoomPosition] {
        var free = Self.positionBytes
        var positions: [String: RoomPosition] = [:]
        for name in names(of: .server) {
            guard let position = rooms[name]?.position else { continue }
            // Every byte may be escaped as \u00XX, and the rest of an entry needs fewer than 80 bytes.
            let size = name.utf8.count * (name.hasPrefix("#") ? 6 : 1) + position.epoch.utf8.count + 80
            guard size <= free else { continue }
            free -= size
            positions[name] = position
        }
        return positions
    }
}
