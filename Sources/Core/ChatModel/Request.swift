/// A command that clients send as an RPC method and backends as `POST /v1/<method>`.
public protocol Request: Codable, Sendable {
    /// The server's response.
    associatedtype Response: Codable, Sendable
    /// The method's name on the wire: `family.verb`, as in `message.send`.
    static var method: String { get }
    /// Fields that the protocol defines but this build does not support. A request with any of them is refused with
    /// 1018 instead of being executed in part.
    static var notYet: [String] { get }
}

extension Request {
    /// No fields by default.
    public static var notYet: [String] { [] }
}

/// A response that contains one channel.
public struct ChannelResponse: Codable, Hashable, Sendable {
    /// The channel, as the caller sees it.
    public var channel: Channel
    /// Creates a value from its fields.
    public init(channel: Channel) { self.channel = channel }
}

/// A response that contains one message.
public struct MessageResponse: Codable, Hashable, Sendable {
    /// The message, as the caller sees it.
    public var message: Message
    /// Creates a value from its fields.
    public init(message: Message) { self.message = message }
}

/// A response that contains one user.
public struct UserResponse: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// Creates a value from its fields.
    public init(user: User) { self.user = user }
}
