/// Changes a message (`MS7`). Users can change their own, channel operators and the server any. Absent fields keep
/// their values.
public struct UpdateMessage: Request {
    /// The response to `message.update`.
    public typealias Response = MessageResponse
    /// The method name.
    public static let method = "message.update"
    /// Changing the files of a message is not supported.
    public static let notYet = ["files"]
    /// The channel.
    public var channelID: ChannelID
    /// The message.
    public var messageID: MessageID
    /// The text, for text and admin messages only; cannot be empty.
    public var text: String?
    /// A type for the app's own use; an empty text removes it.
    public var customType: String?
    /// Data for the app's own use; an empty text removes it.
    public var data: String?
    /// Replaces the mentions together with `mentionedUserIDs`; `users` without ids removes all mentions.
    public var mentionType: MentionType?
    /// The mentioned users: at most 100; see `mentionType`.
    public var mentionedUserIDs: [UserID]?
    /// Replaces all meta arrays, with the limits of ``SendMessage``; empty removes them (`MS2`).
    public var metaArrays: [String: [String]]?
    /// Replaces all target languages: at most 10 tags like `en` or `pt-BR`.
    public var targetLanguages: [String]?

    /// Creates a `message.update` request; nil arguments are omitted.
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

/// Deletes a message and leaves a tombstone without content (`MS8`). Users can delete their own, channel operators and
/// the server any. A message that still has replies cannot be deleted.
public struct DeleteMessage: Request {
    /// The response to `message.delete`.
    public typealias Response = MessageResponse
    /// The method name.
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
