/// The messages, of all channels, that are pushed to an offline user (`L2`).
public enum PushPreference: String, Codable, Sendable, CaseIterable {
    /// All messages.
    case all
    /// Only messages that mention the user.
    case mentionOnly = "mention_only"
    /// None.
    case off
}

/// The messages of one channel that are pushed to an offline user (`L2`).
public enum ChannelPush: String, Codable, Sendable, CaseIterable {
    /// As in the user's preference for all channels.
    case `default`
    /// All messages.
    case all
    /// Only messages that mention the user.
    case mentionOnly = "mention_only"
    /// None.
    case off
}

/// A device on which the app's backend can reach an offline user.
public struct Device: Codable, Hashable, Sendable {
    /// A push service.
    public enum Provider: String, Codable, Sendable, CaseIterable {
        /// Apple Push Notification service, Firebase Cloud Messaging, or Web Push.
        case apns, fcm, web
    }
    /// The push service that issued the token.
    public var provider: Provider
    /// The token issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a value from its fields.
    public init(provider: Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// The devices of the calling user.
public struct DevicesResponse: Codable, Hashable, Sendable {
    /// The devices, oldest first.
    public var devices: [Device]
    /// Creates a value from its fields.
    public init(devices: [Device]) { self.devices = devices }
}

/// Registers a device of the calling user and removes it from any other user. A user has at most 20 devices;
/// registering one more removes the oldest.
public struct RegisterDevice: Request {
    /// The response to `user.register_device`.
    public typealias Response = DevicesResponse
    /// The method name.
    public static let method = "user.register_device"
    /// The push service that issued the token.
    public var provider: Device.Provider
    /// The token issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a `user.register_device` request.
    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Unregisters a device; does nothing if it is not registered.
public struct UnregisterDevice: Request {
    /// The response to `user.unregister_device`.
    public typealias Response = DevicesResponse
    /// The method name.
    public static let method = "user.unregister_device"
    /// The push service that issued the token.
    public var provider: Device.Provider
    /// The token issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a `user.unregister_device` request.
    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Sets which messages of a channel are pushed to the calling user. The setting ends with the membership.
public struct SetChannelPush: Request {
    /// The response to `channel.set_push`.
    public typealias Response = ChannelResponse
    /// The method name.
    public static let method = "channel.set_push"
    /// The channel.
    public var channelID: ChannelID
    /// Which messages are pushed.
    public var push: ChannelPush

    /// Creates a `channel.set_push` request.
    public init(channelID: ChannelID, push: ChannelPush) {
        self.channelID = channelID
        self.push = push
    }

    enum CodingKeys: String, CodingKey {
        case push
        case channelID = "channel_id"
    }
}
