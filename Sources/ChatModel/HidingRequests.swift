/// Whether a member keeps a channel out of the list, and what brings it back (`CH11`).
public enum HiddenState: String, Codable, Sendable, CaseIterable {
    case unhidden
    /// A new message of someone else brings it back.
    case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
    /// Only `channel.unhide` brings it back.
    case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
}

/// Puts a channel out of one's own list (`CH11`).
public struct HideChannel: Request {
    public typealias Response = ChannelResponse
    public static let method = "channel.hide"
    public var channelID: ChannelID
    /// Whether all messages up to now are gone for oneself; absent means false.
    public var hidePreviousMessages: Bool?
    /// Whether a new message of someone else brings the channel back; absent means true.
    public var allowAutoUnhide: Bool?

    public init(channelID: ChannelID, hidePreviousMessages: Bool? = nil, allowAutoUnhide: Bool? = nil) {
        self.channelID = channelID
        self.hidePreviousMessages = hidePreviousMessages
        self.allowAutoUnhide = allowAutoUnhide
    }

    enum CodingKeys: String, CodingKey {
        case channelID = "channel_id"
        case hidePreviousMessages = "hide_previous_messages"
        case allowAutoUnhide = "allow_auto_unhide"
    }
}

/// Brings a hidden channel back (`CH11`).
public struct UnhideChannel: ChannelRequest {
    public static let method = "channel.unhide"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Clears a channel for oneself alone: what was written up to now is gone (`CH16`).
public struct ResetHistory: ChannelRequest {
    public static let method = "channel.reset_history"
    public var channelID: ChannelID
    public init(channelID: ChannelID) { self.channelID = channelID }
}
