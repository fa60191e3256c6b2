/// Whether a member hides a channel from their list, and what unhides it (`CH11`).
public enum HiddenState: String, Codable, Sendable, CaseIterable {
    /// In the list.
    case unhidden
    /// A new message from someone else unhides it.
    case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
    /// Only `channel.unhide` unhides it.
    case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
}

/// Hides a channel from the caller's own list (`CH11`).
public struct HideChannel: Request {
    /// The server's answer to `channel.hide`.
    public typealias Response = ChannelResponse
    /// The name of the method on the wire.
    public static let method = "channel.hide"
    /// The channel.
    public var channelID: ChannelID
    /// Whether all messages so far are hidden from the caller too; absent means false.
    public var hidePreviousMessages: Bool?
    /// Whether a new message from someone else unhides the channel; absent means true.
    public var allowAutoUnhide: Bool?

    /// Creates a `channel.hide` request; a nil argument leaves its field out.
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

/// Unhides a channel (`CH11`).
public struct UnhideChannel: ChannelRequest {
    /// The name of the method on the wire.
    public static let method = "channel.unhide"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.unhide` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Clears a channel for the caller alone: all messages so far are hidden from them (`CH16`).
public struct ResetHistory: ChannelRequest {
    /// The name of the method on the wire.
    public static let method = "channel.reset_history"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.reset_history` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
