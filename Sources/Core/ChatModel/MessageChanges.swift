/// Changes a message: users their own, channel operators and the server any (`MS7`). Absent fields stay.
public struct UpdateMessage: Request {
    /// The server's answer to `message.update`.
    public typealias Response = MessageResponse
    /// The name of the method on the wire.
    public static let method = "message.update"
    /// The files of a message cannot be changed.
    public static let notYet = ["files"]
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// Only text and admin messages have a text, and it cannot be empty.
    public var text: String?
    /// An empty text removes it.
    public var customType: String?
    /// An empty text removes it.
    public var data: String?
    /// Together with `mentionedUserIDs` it replaces the mentions; `users` without any ids removes all of them.
    public var mentionType: MentionType?
    /// The mentioned users: at most 100; see `mentionType`.
    public var mentionedUserIDs: [UserID]?
    /// Replaces all of them, as in `SendMessage`; empty removes them (`MS2`).
    public var metaArrays: [String: [String]]?
    /// Replaces all of them: up to 10 tags like `en` or `pt-BR`.
    public var targetLanguages: [String]?

    /// Creates a `message.update` request; a nil argument leaves its field out.
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
    /// The server's answer to `message.delete`.
    public typealias Response = MessageResponse
    /// The name of the method on the wire.
    public static let method = "message.delete"
    typealias CodingKeys = MessageKeys
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID

    /// Creates a `message.delete` request.
    public init(channelID: ChannelID, messageID: MessageID) {
        self.channelID = channelID
        self.messageID = messageID
    }
}
