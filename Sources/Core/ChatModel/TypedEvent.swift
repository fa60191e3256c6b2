/// The event catalogue: every `type` that Belfry sends.
public enum EventType: String, Codable, Sendable, CaseIterable {
    case messageNew = "message.new"
    case messageUpdated = "message.updated"
    case messageDeleted = "message.deleted"
    case threadReply = "thread.reply"
    case threadUpdated = "thread.updated"
    case readChanged = "read.changed"
    case unreadChanged = "unread.changed"
    case reactionUpdated = "reaction.updated"
    case invitationReceived = "invitation.received"
    case invitationAccepted = "invitation.accepted"
    case invitationDeclined = "invitation.declined"
    case invitationCancelled = "invitation.cancelled"
    case channelCreated = "channel.created"
    case channelUpdated = "channel.updated"
    case channelDeleted = "channel.deleted"
    case channelFrozen = "channel.frozen"
    case channelUnfrozen = "channel.unfrozen"
    case channelHidden = "channel.hidden"
    case channelUnhidden = "channel.unhidden"
    case channelHistoryReset = "channel.history_reset"
    case memberJoined = "member.joined"
    case memberLeft = "member.left"
    case memberBanned = "member.banned"
    case memberUnbanned = "member.unbanned"
    case memberMuted = "member.muted"
    case memberUnmuted = "member.unmuted"
    case operatorAdded = "operator.added"
    case operatorRemoved = "operator.removed"
    case userUpdated = "user.updated"
    case presenceChanged = "presence.changed"
    case typingStarted = "typing.started"
    case typingStopped = "typing.stopped"
}

/// An event of a room as sent on the wire: `push.pub.data`.
///
/// `type` determines which of the nouns are present: `message` for `message.new` and `.updated`; ids for
/// `message.deleted`, with `thread` if it was a reply; `message` and `thread` for `thread.reply`; `thread`, `read` and
/// `unread` by name; `reaction`, `invitation`, `channel` and `member` for the families of their name, `member` also for
/// `operator`. Events about a channel as a whole also carry `channelID` if the noun does not name the channel.
public struct TypedEvent: Codable, Hashable, Sendable {
    public var type: EventType
    /// Server clock in milliseconds since 1970; never decreases within a room.
    public var at: Int64
    /// The user who caused it; absent for the server.
    public var by: UserID?
    public var channelID: ChannelID?
    /// The subject of `message.deleted`; also in `message.updated` for a reader who may not see the message (`CH7`).
    public var messageID: MessageID?
    public var parentMessageID: MessageID?
    @Boxed public var message: Message?
    @Boxed public var thread: MessageThread?
    @Boxed public var reaction: ReactionChange?
    public var read: ReadState?
    public var unread: UnreadChange?
    @Boxed public var channel: Channel?
    @Boxed public var member: Member?
    @Boxed public var invitation: Invitation?
    /// For `user.updated`, without metadata.
    @Boxed public var user: User?
    public var typing: Typing?
    public var presence: Presence?

    public init(
        type: EventType, at: Int64, by: UserID?, channelID: ChannelID? = nil, messageID: MessageID? = nil,
        parentMessageID: MessageID? = nil, message: Message? = nil, thread: MessageThread? = nil,
        reaction: ReactionChange? = nil, read: ReadState? = nil, unread: UnreadChange? = nil,
        channel: Channel? = nil, member: Member? = nil, invitation: Invitation? = nil,
        user: User? = nil, typing: Typing? = nil, presence: Presence? = nil
    ) {
        self.type = type
        self.at = at
        self.by = by
        self.channelID = channelID
        self.messageID = messageID
        self.parentMessageID = parentMessageID
        self.message = message
        self.thread = thread
        self.reaction = reaction
        self.read = read
        self.unread = unread
        self.channel = channel
        self.member = member
        self.invitation = invitation
        self.user = user
        self.typing = typing
        self.presence = presence
    }

    enum CodingKeys: String, CodingKey {
        case type, at, by, message, thread, reaction, read, unread, channel, member, invitation, user, typing
        case presence
        case channelID = "channel_id"
        case messageID = "message_id"
        case parentMessageID = "parent_message_id"
    }
}
