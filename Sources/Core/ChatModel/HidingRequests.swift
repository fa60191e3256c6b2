/// Whether a member hides a channel from their list, and which event unhides it (`CH11`).
public enum HiddenState: String, Codable, Sendable, CaseIterable {
    /// The channel is in the list.
    case unhidden
    /// Hidden until someone else sends a message.
    case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
    /// Hidden until the member calls `channel.unhide`.
    case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
}

/// Hides a channel from the caller's own list (`CH11`).
public struct HideChannel: Request {
    /// The response to `channel.hide`.
    public typealias Response = ChannelResponse
    /// The method name.
    public static let method = "channel.hide"
    /// The channel.
    public var channelID: ChannelID
    /// Whether all existing messages become hidden from the caller too; absent means false.
    public var hidePreviousMessages: Bool?
    /// Whether a new message from someone else unhides the channel; absent means true.
    public var allowAutoUnhide: Bool?

    /// Creates a `channel.hide` request; nil arguments are omitted.
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
    /// The method name.
    public static let method = "channel.unhide"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.unhide` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}

/// Clears a channel for the caller only: hides all existing messages from them (`CH16`).
public struct ResetHistory: ChannelRequest {
    /// The method name.
    public static let method = "channel.reset_history"
    /// The channel.
    public var channelID: ChannelID
    /// Creates a `channel.reset_history` request.
    public init(channelID: ChannelID) { self.channelID = channelID }
}
