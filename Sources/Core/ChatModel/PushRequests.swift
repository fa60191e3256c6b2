/// Which messages are pushed to a user while offline (`L2`).
public enum PushPreference: String, Codable, Sendable, CaseIterable {
    /// All messages.
    case all
    /// Only messages that mention them.
    case mentionOnly = "mention_only"
    /// None.
    case off
}

/// The same for one channel.
public enum ChannelPush: String, Codable, Sendable, CaseIterable {
    /// The user's preference for all channels applies.
    case `default`
    /// All messages.
    case all
    /// Only messages that mention the user.
    case mentionOnly = "mention_only"
    /// None.
    case off
}

/// A device at which the app's backend can reach an offline user.
public struct Device: Codable, Hashable, Sendable {
    /// A push service.
    public enum Provider: String, Codable, Sendable, CaseIterable {
        /// Apple Push Notification service, Firebase Cloud Messaging, or Web Push.
        case apns, fcm, web
    }
    /// The push service that issued the token.
    public var provider: Provider
    /// As issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a value from its fields.
    public init(provider: Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// All devices of the calling user, in the order of registration.
public struct DevicesResponse: Codable, Hashable, Sendable {
    /// The devices, oldest first.
    public var devices: [Device]
    /// Creates a value from its fields.
    public init(devices: [Device]) { self.devices = devices }
}

/// Registers a device of the calling user. A user has at most 20 devices; a further one replaces the oldest. A device
/// belongs to one user: registering it removes it from its previous owner.
public struct RegisterDevice: Request {
    /// The server's answer to `user.register_device`.
    public typealias Response = DevicesResponse
    /// The name of the method on the wire.
    public static let method = "user.register_device"
    /// The push service that issued the token.
    public var provider: Device.Provider
    /// The device's token, as issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a `user.register_device` request.
    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Unregisters a device; does nothing if it is not registered.
public struct UnregisterDevice: Request {
    /// The server's answer to `user.unregister_device`.
    public typealias Response = DevicesResponse
    /// The name of the method on the wire.
    public static let method = "user.unregister_device"
    /// The push service that issued the token.
    public var provider: Device.Provider
    /// The device's token, as issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    /// Creates a `user.unregister_device` request.
    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Sets which messages of one channel are pushed to the calling user; lasts as long as the membership.
public struct SetChannelPush: Request {
    /// The server's answer to `channel.set_push`.
    public typealias Response = ChannelResponse
    /// The name of the method on the wire.
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
