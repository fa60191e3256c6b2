/// Who hears something: everyone in a channel, or one person's own connections.
///
/// On the wire a channel's room has the channel's id and an inbox is `#<user_id>`; no channel id holds a `#`.
public enum Room: Hashable, Sendable, CustomStringConvertible {
    case channel(ChannelID)
    case inbox(UserID)

    /// - Returns: `nil` when the name is neither a channel id nor `#` and a user id.
    public init?(name: String) {
        if name.utf8.first == UInt8(ascii: "#") {
            // By scalars: a combining mark that begins the id would make one `Character` with the `#`.
            guard let user = UserID(String(name.unicodeScalars.dropFirst())) else { return nil }
            self = .inbox(user)
        } else {
            guard let channel = ChannelID(name) else { return nil }
            self = .channel(channel)
        }
    }

    public var name: String {
        switch self {
        case .channel(let id): id.rawValue
        case .inbox(let user): "#" + user.rawValue
        }
    }

    public var description: String { name }
}
