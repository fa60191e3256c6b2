/// The event catalogue: the type of every event that Belfry sends.
public enum EventType: String, Codable, Sendable, CaseIterable {
    /// A message was sent.
    case messageNew = "message.new"
    /// A message was changed.
    case messageUpdated = "message.updated"
    /// A message was deleted.
    case messageDeleted = "message.deleted"
    /// A reply was sent.
    case threadReply = "thread.reply"
    /// The title or data of a thread changed.
    case threadUpdated = "thread.updated"
    /// A read marker moved.
    case readChanged = "read.changed"
    /// The user marked something as unread.
    case unreadChanged = "unread.changed"
    /// A reaction was added or removed.
    case reactionUpdated = "reaction.updated"
    /// A user was invited.
    case invitationReceived = "invitation.received"
    /// An invitation was accepted.
    case invitationAccepted = "invitation.accepted"
    /// An invitation was declined.
    case invitationDeclined = "invitation.declined"
    /// An invitation ended without being accepted or declined.
    case invitationCancelled = "invitation.cancelled"
    /// A channel was created; the first event of its room.
    case channelCreated = "channel.created"
    /// Fields or metadata of a channel changed.
    case channelUpdated = "channel.updated"
    /// A channel was deleted; the last event of its room.
    case channelDeleted = "channel.deleted"
    /// A channel was frozen.
    case channelFrozen = "channel.frozen"
    /// A channel was unfrozen.
    case channelUnfrozen = "channel.unfrozen"
    /// The user hid a channel.
    case channelHidden = "channel.hidden"
    /// The user's list shows a channel again.
    case channelUnhidden = "channel.unhidden"
    /// The user cleared a channel for themselves.
    case channelHistoryReset = "channel.history_reset"
    /// A user joined a channel.
    case memberJoined = "member.joined"
    /// A user left a channel.
    case memberLeft = "member.left"
    /// A user was banned from a channel.
    case memberBanned = "member.banned"
    /// A ban was lifted.
    case memberUnbanned = "member.unbanned"
    /// A member was muted.
    case memberMuted = "member.muted"
    /// A mute was lifted.
    case memberUnmuted = "member.unmuted"
    /// A member became an operator.
    case operatorAdded = "operator.added"
    /// An operator became an ordinary member.
    case operatorRemoved = "operator.removed"
    /// A user's profile changed.
    case userUpdated = "user.updated"
    /// A user reported something; for webhooks only.
    case reportCreated = "report.created"
    /// A report was resolved or dismissed; for webhooks only.
    case reportResolved = "report.resolved"
    /// A user was banned from the whole app; followed by the end of their connections.
    case userBanned = "user.banned"
    /// A ban from the whole app was lifted.
    case userUnbanned = "user.unbanned"
    /// A user was muted in the whole app.
    case userMuted = "user.muted"
    /// A mute in the whole app was lifted.
    case userUnmuted = "user.unmuted"
    /// The user blocked someone, or removed a block.
    case blockChanged = "block.changed"
    /// A user came online or went offline.
    case presenceChanged = "presence.changed"
    /// A user started or continued typing.
    case typingStarted = "typing.started"
    /// A user stopped typing.
    case typingStopped = "typing.stopped"
}

/// An event of a room, as sent on the wire in `push.pub.data`.
///
/// `type` determines which subjects are present:
/// - `message.new` and `message.updated`: `message`
/// - `message.deleted`: ids, and `thread` if it was a reply
/// - `thread.reply`: `message` and `thread`
/// - `thread`, `read`, `unread`, `reaction`, `invitation`, `channel` and `member` events: the field with the name of
///   the family
/// - `operator` events: `member`
/// - `user.banned` and `user.muted`: `sanction`; other `user` events: `user`
///
/// Events about a whole channel also have `channelID`, unless a subject already contains it.
public struct TypedEvent: Codable, Hashable, Sendable {
    /// The type of the event.
    public var type: EventType
    /// The server's time in milliseconds since 1970; never decreases within a room.
    public var at: Int64
    /// The user who caused the event; absent if the server did.
    public var by: UserID?
    /// The channel, unless a subject already contains it.
    public var channelID: ChannelID?
    /// The subject of `message.deleted`; also in `message.updated` for a reader who cannot see the message (`CH7`).
    public var messageID: MessageID?
    /// The parent, in events about a reply or a thread.
    public var parentMessageID: MessageID?
    /// The message, as everyone in the room sees it.
    @Boxed public var message: Message?
    /// A summary of the thread.
    @Boxed public var thread: MessageThread?
    /// The added or removed reaction.
    @Boxed public var reaction: ReactionChange?
    /// The read state whose marker moved.
    public var read: ReadState?
    /// The result of marking something as unread.
    public var unread: UnreadChange?
    /// The channel after the event.
    @Boxed public var channel: Channel?
    /// The member after the event.
    @Boxed public var member: Member?
    /// The invitation.
    @Boxed public var invitation: Invitation?
    /// The ban or mute, in `user.banned` and `user.muted`.
    @Boxed public var sanction: Sanction?
    /// The report, in `report` events.
    @Boxed public var report: Report?
    /// The other user, in `block.changed`.
    @Boxed public var block: BlockChange?
    /// The user, in `user.updated`, `user.unbanned` and `user.unmuted`; without metadata.
    @Boxed public var user: User?
    /// The user who started or stopped typing.
    public var typing: Typing?
    /// The user who came online or went offline.
    public var presence: Presence?

    /// Creates a value from its fields.
    public init(
        type: EventType, at: Int64, by: UserID?, channelID: ChannelID? = nil, messageID: MessageID? = nil,
        parentMessageID: MessageID? = nil, message: Message? = nil, thread: MessageThread? = nil,
        reaction: ReactionChange? = nil, read: ReadState? = nil, unread: UnreadChange? = nil,
        channel: Channel? = nil, member: Member? = nil, invitation: Invitation? = nil, sanction: Sanction? = nil,
        block: BlockChange? = nil, report: Report? = nil,
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
        self.sanction = sanction
        self.block = block
        self.report = report
        self.user = user
        self.typing = typing
        self.presence = presence
    }

    enum CodingKeys: String, CodingKey {
        case type, at, by, message, thread, reaction, read, unread, channel, member, invitation, user, typing
        case presence, sanction, block, report
        case channelID = "channel_id"
        case messageID = "message_id"
        case parentMessageID = "parent_message_id"
    }
}
