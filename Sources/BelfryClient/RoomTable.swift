import WireProtocol

/// The rooms a client hears and how far it has heard each.
struct RoomTable {
    enum Origin {
        /// The server decides: it subscribes us at connect and tells when that changes.
        case server
        /// The app has named it; we subscribe again after each connect.
        case client
    }

    enum Verdict: Equatable {
        case deliver
        /// Seen before, or of a room we do not hear.
        case drop
        case gap(expected: UInt64)
    }

    struct Room {
        var origin: Origin
        /// The last event heard; nil before the first subscription.
        var position: StreamPosition?
        var isSubscribed = false
    }

    private(set) var rooms: [String: Room] = [:]

    subscript(name: String) -> Room? { rooms[name] }

    /// Names in a fixed order, so that the same history gives the same commands.
    func names(of origin: Origin) -> [String] {
        rooms.filter { $0.value.origin == origin }.keys.sorted()
    }

    mutating func want(_ name: String) {
        if rooms[name] == nil { rooms[name] = Room(origin: .client) }
    }

    mutating func subscribe(_ name: String, at position: StreamPosition, origin: Origin) {
        rooms[name] = Room(origin: origin, position: position, isSubscribed: true)
    }

    mutating func forget(_ name: String) { rooms[name] = nil }

    /// The link is gone: what was heard stays known.
    mutating func suspendAll() {
        for name in rooms.keys { rooms[name]?.isSubscribed = false }
    }

    /// Judges a publication by its number and goes on to it.
    ///
    /// - Parameter offset: 0 for what is not stored, which has no order to keep.
    mutating func accept(_ name: String, offset: UInt64) -> Verdict {
        guard let room = rooms[name], room.isSubscribed, let last = room.position?.offset else { return .drop }
        if offset == 0 { return .deliver }
        if offset <= last { return .drop }
        guard offset - last == 1 else { return .gap(expected: last + 1) }
        rooms[name]?.position?.offset = offset
        return .deliver
    }

    /// A connect command has to fit into one message, and a user may be in 2,000 channels.
    static let positionBytes = 49_152

    /// What `connect` recovers from. A room that does not fit is left out; whether it missed something shows when its
    /// position comes back.
    func positionsForConnect() -> [String: StreamPosition] {
        var free = Self.positionBytes
        var positions: [String: StreamPosition] = [:]
        for name in names(of: .server) {
            guard let position = rooms[name]?.position else { continue }
            // Every byte may be escaped as \u00XX, and the rest of an entry takes less than 80.
            let size = name.utf8.count * (name.hasPrefix("#") ? 6 : 1) + position.epoch.utf8.count + 80
            guard size <= free else { continue }
            free -= size
            positions[name] = position
        }
        return positions
    }
}
