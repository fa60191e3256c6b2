/// Changes a message: users their own, channel operators and the server any (`MS7`). Absent fields stay.
public struct UpdateMessage: Request {
    public typealias Response = MessageResponse
    public static let method = "message.update"
    public static let notYet = ["files"]
    public var channelID: ChannelID
    public var messageID: MessageID
    /// Only text and admin messages have a text, and it cannot be empty.
    public var text: String?
    /// An empty text removes it.
    public var customType: String?
    /// An empty text removes it.
    public var data: String?
    /// Together with `mentionedUserIDs` it replaces the mentions; `users` without any ids removes all of them.
    public var mentionType: MentionType?
    public var mentionedUserIDs: [UserID]?
    /// Replaces all of them, as in `SendMessage`; empty removes them (`MS2`).
    public var metaArrays: [String: [String]]?
    public var targetLanguages: [String]?

    public init(
        channelID: ChannelID, messageID: MessageID, text: String? = nil, customType: String? = nil,
        data: String? = nil, mentionType: MentionType? = nil, mentionedUserIDs: [UserID]? = nil
    ) {
        self.channelID = channelID
        self.messageID = messageID
        self.text = text
        self.customType = customType
        self.data = data
        self.mentionType = mentionType
        self.mentionedUserIDs = mentionedUserIDs
    }

    enum CodingKeys: String, CodingKey {
        case text, data
        case channelID = "channel_id"
        case messageID = "message_id"
        case customType = "custom_type"
        case mentionType = "mention_type"
        case mentionedUserIDs = "mentioned_user_ids"
        case metaArrays = "meta_arrays"
        case targetLanguages = "target_languages"
    }
}

/// Deletes a message: users their own, channel operators and the server any (`MS8`). A tombstone without content
/// remains. A parent that still has replies cannot be deleted.
public struct DeleteMessage: Request {
    public typealias Response = MessageResponse
    public static let method = "message.delete"
    typealias CodingKeys = MessageKeys
    public var channelID: ChannelID
    public var messageID: MessageID

    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}
