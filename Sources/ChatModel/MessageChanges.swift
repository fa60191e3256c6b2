/// Changes a message: one's own, or any for operators of the channel and for the server (`MS7`). What is absent stays.
public struct UpdateMessage: Request {
    public typealias Response = MessageResponse
    public static let method = "message.update"
    public static let notYet = ["files"]
    public var channelID: ChannelID
    public var messageID: MessageID
    /// Only text and admin messages have one, and never an empty one.
    public var text: String?
    /// An empty one takes it away.
    public var customType: String?
    /// Empty takes it away.
    public var data: String?
    /// With `mentionedUserIDs` it says anew whom the message mentions; `users` and nobody takes all mentions away.
    public var mentionType: MentionType?
    public var mentionedUserIDs: [UserID]?
    /// All of them, as in `SendMessage`; empty takes them away (`MS2`).
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

/// Deletes a message: one's own, or any for operators of the channel and for the server (`MS8`). What is left is a
/// tombstone without content. A parent that still has replies is not deleted.
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
