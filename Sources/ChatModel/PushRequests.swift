/// Which messages a user is pushed while offline (`L2`).
public enum PushPreference: String, Codable, Sendable, CaseIterable {
    case all
    /// Only messages that mention them.
    case mentionOnly = "mention_only"
    case off
}

/// The same for one channel.
public enum ChannelPush: String, Codable, Sendable, CaseIterable {
    /// What the user prefers for all channels.
    case `default`
    case all
    case mentionOnly = "mention_only"
    case off
}

/// Where the app's backend can reach someone who is offline.
public struct Device: Codable, Hashable, Sendable {
    public enum Provider: String, Codable, Sendable, CaseIterable {
        case apns, fcm, web
    }
    public var provider: Provider
    /// As the provider gave it: 1–4,096 printable ASCII characters.
    public var token: String

    public init(provider: Provider, token: String) {
        self.provider = provider
        self.token = token
    }
}

/// All devices of the asking user, the one registered first at the front.
public struct DevicesResponse: Codable, Hashable, Sendable {
    public var devices: [Device]
    public init(devices: [Device]) { self.devices = devices }
}

/// Registers a device of the asking user. A user has at most 20: one more takes the place of the oldest. A device
/// belongs to one user: whoever had registered it before loses it.
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

/// Takes a device back; one that is not there stays absent.
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

/// Sets what the asking user is pushed of one channel; ends with the membership.
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
