/// A command as a client or an app's backend sends it, as an RPC method or as `POST /v1/<method>`.
public protocol Request: Codable, Sendable {
    associatedtype Response: Codable, Sendable
    /// `family.verb`, as in `message.send`.
    static var method: String { get }
    /// Fields of the protocol that this build does not support yet. A request with one of them is refused with 1018
    /// rather than partly obeyed.
    static var notYet: [String] { get }
}

extension Request {
    public static var notYet: [String] { [] }
}

public struct ChannelResponse: Codable, Hashable, Sendable {
    public var channel: Channel
    public init(channel: Channel) { self.channel = channel }
}

public struct MessageResponse: Codable, Hashable, Sendable {
    public var message: Message
    public init(message: Message) { self.message = message }
}

public struct UserResponse: Codable, Hashable, Sendable {
    public var user: User
    public init(user: User) { self.user = user }
}
