/// The audience of an event: everyone in a channel, or one user's own connections.
///
/// On the wire, a channel's room is named by the channel's id, and an inbox by `#<user_id>`; channel ids have no `#`.
public enum Room: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A channel's room: everyone in the channel.
    case channel(ChannelID)
    /// A user's own connections.
    case inbox(UserID)

    /// - Returns: `nil` if the name is neither a channel id nor `#` and a user id.
    public init?(name: String) {
        if name.utf8.first == UInt8(ascii: "#") {
            // By scalars: a combining mark at the start of the id would merge with the `#` into one `Character`.
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

    /// Channels by id, then inboxes by user.
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
    /// The offset of the room's last durable event, counted from 1; 0 is before the first.
    public var offset: UInt64
    /// Identifies the incarnation of the room that the offset belongs to.
    public var epoch: String

    /// Creates a value from its fields.
    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
