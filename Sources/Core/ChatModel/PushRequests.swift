/// Which messages are pushed to a user while offline (`L2`).
public enum PushPreference: String, Codable, Sendable, CaseIterable {
    case all
    /// Only messages that mention them.
    case mentionOnly = "mention_only"
    case off
}

/// The same for one channel.
public enum ChannelPush: String, Codable, Sendable, CaseIterable {
    /// The user's preference for all channels applies.
    case `default`
    case all
    case mentionOnly = "mention_only"
    case off
}

/// A device at which the app's backend can reach an offline user.
public struct Device: Codable, Hashable, Sendable {
    public enum Provider: String, Codable, Sendable, CaseIterable {
        case apns, fcm, web
    }
    public var provider: Provider
    /// As issued by the provider: 1–4,096 printable ASCII characters.
    public var token: String

    public init(provider: Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// All devices of the calling user, in the order of registration.
public struct DevicesResponse: Codable, Hashable, Sendable {
    public var devices: [Device]
    public init(devices: [Device]) { self.devices = devices }
}

/// Registers a device of the calling user. A user has at most 20 devices; a further one replaces the oldest. A device
/// belongs to one user: registering it removes it from its previous owner.
public struct RegisterDevice: Request {
    public typealias Response = DevicesResponse
    public static let method = "user.register_device"
    public var provider: Device.Provider
    public var token: String

    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Unregisters a device; does nothing if it is not registered.
public struct UnregisterDevice: Request {
    public typealias Response = DevicesResponse
    public static let method = "user.unregister_device"
    public var provider: Device.Provider
    public var token: String

    public init(provider: Device.Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// Sets which messages of one channel are pushed to the calling user; lasts as long as the membership.
public struct SetChannelPush: Request {
    public typealias Response = ChannelResponse
    public static let method = "channel.set_push"
    public var channelID: ChannelID
    public var push: ChannelPush

    public init(channelID: ChannelID, push: ChannelPush) {
        self.channelID = channelID
        self.push = push
    }

    enum CodingKeys: String, CodingKey {
        case push
        case channelID = "channel_id"
    }
}
