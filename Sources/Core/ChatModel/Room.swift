/// The audience of an event: all members of a channel, or the connections of one user.
///
/// On the wire, the name of a channel's room is the channel's id, and the name of an inbox is `#<user_id>`. Channel ids
/// cannot contain `#`.
public enum Room: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The room of a channel, with all its members.
    case channel(ChannelID)
    /// The inbox of a user, with all their connections.
    case inbox(UserID)

    /// - Returns: `nil` if the name is neither a channel id nor `#` and a user id.
    public init?(name: String) {
        if name.utf8.first == UInt8(ascii: "#") {
            // Drop a scalar, not a `Character`: a combining mark at the start of the id would merge with the `#`.
            guard let user = UserID(String(name.unicodeScalars.dropFirst())) else { return nil }
            self = .inbox(user)
        } else {
            guard let channel = ChannelID(name) else { return nil }
            self = .channel(channel)
        }
    }

    /// The name on the wire: the channel's id, or `#` and the user's id.
    public var name: String {
        switch self {
        case .channel(let id): id.rawValue
        case .inbox(let user): "#" + user.rawValue
        }
    }

    /// The name on the wire.
    public var description: String { name }

    /// Orders channels by id, followed by inboxes by user id.
    public static func < (a: Room, b: Room) -> Bool {
        switch (a, b) {
        case (.channel(let a), .channel(let b)): a < b
        case (.inbox(let a), .inbox(let b)): a < b
        case (.channel, .inbox): true
        case (.inbox, .channel): false
        }
    }
}

/// A position in a room, from which a subscription with `recover` continues without a gap.
public struct RoomPosition: Codable, Hashable, Sendable {
    /// The offset of the last durable event in the room, counted from 1; 0 if there is none yet.
    public var offset: UInt64
    /// The incarnation of the room that the offset belongs to.
    public var epoch: String

    /// Creates a value from its fields.
    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
