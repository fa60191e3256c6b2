/// A command as a client or an app's backend sends it, as an RPC method or as `POST /v1/<method>`.
public protocol Request: Codable, Sendable {
    /// The server's answer.
    associatedtype Response: Codable, Sendable
    /// `family.verb`, as in `message.send`.
    static var method: String { get }
    /// Fields of the protocol that this build does not support yet. A request with one of them is refused with 1018
    /// rather than partly obeyed.
    static var notYet: [String] { get }
}

extension Request {
    /// None by default.
    public static var notYet: [String] { [] }
}

/// An answer that consists of a channel.
public struct ChannelResponse: Codable, Hashable, Sendable {
    /// The channel, as the caller sees it.
    public var channel: Channel
    /// Creates a value from its fields.
    public init(channel: Channel) { self.channel = channel }
}

/// An answer that consists of a message.
public struct MessageResponse: Codable, Hashable, Sendable {
    /// The message, as the caller sees it.
    public var message: Message
    /// Creates a value from its fields.
    public init(message: Message) { self.message = message }
}

/// An answer that consists of a user.
public struct UserResponse: Codable, Hashable, Sendable {
    /// The user.
    public var user: User
    /// Creates a value from its fields.
    public init(user: User) { self.user = user }
}
