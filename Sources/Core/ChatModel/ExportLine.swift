/// A line of an export (`PR2`): a JSON object whose `type` says which other fields it has.
///
/// Values have the shapes of the client protocol. Fields without a value are absent.
public struct ExportLine: Codable, Hashable, Sendable {
    /// The type: `export`, `emoji`, `user`, `file`, `report`, `channel`, `member`, `membership`, `ban`, `mute`,
    /// `message`, `reaction`, `thread`, `read`, `block` or `end`. Ignore lines of other types.
    public var type: String
    /// The version of the format, in the first line.
    public var version: Int?
    /// When the chat last changed, or when the file, ban, mute or block was made, in milliseconds since 1970.
    public var at: Int64?
    /// The emoji.
    public var emoji: Emoji?
    /// The user.
    public var user: User?
    /// Whether invitations add the user at once.
    public var autoAcceptInvitations: Bool?
    /// Which messages are pushed to the user.
    public var push: PushPreference?
    /// The user's devices; absent if there are none.
    public var devices: [Device]?
    /// The upload, without its content.
    public var file: MessageFile?
    /// The report.
    public var report: Report?
    /// The channel.
    public var channel: Channel?
    /// The channel of a line about a file, member, ban, mute, reaction, thread or read marker; absent for a ban or mute in
    /// the whole app.
    public var channelID: ChannelID?
    /// The member.
    public var member: Member?
    /// The user's view of a channel.
    public var membership: MyMembership?
    /// The user who uploaded, reacted, has read, has blocked someone, or is banned or muted.
    public var userID: UserID?
    /// The user who is blocked.
    public var blockedUserID: UserID?
    /// The end of the ban or mute, in milliseconds since 1970.
    public var until: Int64?
    /// The reason of the ban or mute.
    public var description: String?
    /// The user who imposed the ban or mute; absent for the server.
    public var by: UserID?
    /// The parent of the thread.
    public var parentMessageID: MessageID?
    /// The thread's title.
    public var title: String?
    /// Data of the thread for the app's own use.
    public var data: String?
    /// The message.
    public var message: Message?
    /// The message that has the file, that was reacted to, or that was read last.
    public var messageID: MessageID?
    /// The key of the reaction's emoji.
    public var key: String?
    /// The number of lines before the last one.
    public var lines: Int?

    /// Creates a line without fields.
    public init(type: String) { self.type = type }

    enum CodingKeys: String, CodingKey {
        case type, version, at, emoji, user, push, devices, file, report, channel, member, membership, until
        case description, by, title, data, message, key, lines
        case autoAcceptInvitations = "auto_accept_invitations"
        case channelID = "channel_id"
        case userID = "user_id"
        case blockedUserID = "blocked_user_id"
        case parentMessageID = "parent_message_id"
        case messageID = "message_id"
    }
}
