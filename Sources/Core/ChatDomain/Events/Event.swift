import ChatModel

/// A fact of the chat. The state is the fold of all events; `decide` creates them, `evolve` cannot refuse them.
///
/// An event carries what was decided, never a setting that the decision depended on, so replaying it is deterministic.
package enum Event: Equatable, Sendable {
    case userCreated(UserCreated)
    case userUpdated(UserUpdated)
    case preferencesChanged(UserID, autoAcceptInvitations: Bool)
    /// The user was locked out or allowed back in (`US2`).
    case userDeactivated(UserID)
    case userActivated(UserID)
    /// Tokens of the user that were issued before this second are refused; the second never goes backwards.
    case tokensRevoked(UserID, before: Int64)
    /// A guest is still active. Recorded periodically, because connections cause no events.
    case guestSeen(UserID)
    /// A guest was removed after a long absence, having left all channels before.
    case guestRemoved(UserID)
    /// The users who came and left since the last such event; empty if only time has passed. A user who is connected
    /// when the journal ends was last seen at the time of its last record (`US7`).
    case usersSeen([Sighting])
    /// Push preferences and the devices that receive pushes (`L2`).
    case pushPreferenceChanged(UserID, PushPreference)
    case deviceRegistered(UserID, Device)
    case deviceUnregistered(UserID, Device)
    case channelPushChanged(ChannelID, UserID, ChannelPush)
    case channelCreated(ChannelCreated)
    /// Someone new was invited or a member left: the set of members no longer identifies the channel (`CH3`).
    case distinctEnded(ChannelID)
    /// In the invitation events, `by` is the inviter and `invitedAt` the time of the invitation, which no longer exists
    /// when its end is announced.
    case invited(ChannelID, UserID, by: UserID?, role: MemberRole)
    case invitationAccepted(ChannelID, UserID)
    case invitationDeclined(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    /// The invited user has reached the maximum of channels (`US4`).
    case invitationCancelled(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    case memberJoined(MemberJoined)
    case memberLeft(ChannelID, UserID)
    /// The roles of members, and of invited users for when they accept (`ME2`).
    case operatorAdded(ChannelID, UserID)
    case operatorRemoved(ChannelID, UserID)
    /// Ends both membership and invitation (`ME3`).
    case memberBanned(Sanctioned)
    case memberUnbanned(ChannelID, UserID)
    case memberMuted(Sanctioned)
    case memberUnmuted(ChannelID, UserID)
    case channelUpdated(ChannelUpdated)
    case metadataSet(ChannelID, [String: String])
    case metadataDeleted(ChannelID, keys: [String])
    /// The room's last event; a channel created later with the same id starts again at offset 1.
    case channelDeleted(ChannelID)
    case channelFrozen(ChannelID)
    case channelUnfrozen(ChannelID)
    /// Hiding affects one member only; nobody else receives these events (`CH11`, `CH16`).
    case channelHidden(ChannelHidden)
    case channelUnhidden(ChannelID, UserID)
    case historyReset(ChannelID, UserID, visibleFrom: UInt64)
    case messageSent(MessageSent)
    case messageUpdated(MessageUpdated)
    case messageDeleted(ChannelID, MessageID)
    /// A reader's marker moved forward, in the channel or in one of its threads (`U2`, `T8`).
    case readMarked(ReadMark)
    /// The marker moved back (`U3`).
    /// With the user's unread totals after it: counting them again at a restart would visit all of the user's channels
    /// for each such event. `nil` in records of older versions.
    case unreadMarked(ReadMark, from: MessageID, totals: UnreadTotals?)
    case threadUpdated(ThreadUpdated)
    case reactionAdded(ChannelID, MessageID, key: String, by: UserID)
    case reactionRemoved(ChannelID, MessageID, key: String, by: UserID)
    case emojiCreated(Emoji)
    case emojiDeleted(Emoji)
    case reportCreated(ReportCreated)
    /// A file was stored in the server's folder, and is not sent yet.
    case fileRegistered(UploadedFile)
    /// Nothing refers to these files any more; they are deleted from the folder.
    case filesForgotten([FileID])
    /// Absent values stay as they were.
    case settingsChanged(SettingValues)
    /// A new webhook, or the replacement of the one with this id (`L2`).
    case webhookSet(WebhookTarget)
    case webhookDeleted(Webhook)

    /// The rooms in which the event has an offset, the channel's first.
    package var rooms: [Room] {
        switch self {
        case .userCreated, .userUpdated, .preferencesChanged, .userDeactivated, .userActivated, .tokensRevoked: []
        case .guestSeen, .guestRemoved, .usersSeen: []
        case .pushPreferenceChanged, .deviceRegistered, .deviceUnregistered, .channelPushChanged: []
        case .channelCreated(let created): [.channel(created.id)]
        case .distinctEnded(let channel), .channelFrozen(let channel), .channelUnfrozen(let channel),
            .metadataSet(let channel, _), .metadataDeleted(let channel, _), .channelDeleted(let channel):
            [.channel(channel)]
        case .channelUpdated(let updated): [.channel(updated.channel)]
        case .channelHidden(let hidden): [.inbox(hidden.user)]
        case .channelUnhidden(_, let user), .historyReset(_, let user, _): [.inbox(user)]
        case .messageSent(let message): [.channel(message.channel)]
        case .messageUpdated(let message): [.channel(message.channel)]
        case .messageDeleted(let channel, _): [.channel(channel)]
        case .reactionAdded(let channel, _, _, _), .reactionRemoved(let channel, _, _, _): [.channel(channel)]
        case .reportCreated, .settingsChanged: []
        case .readMarked(let mark): [.inbox(mark.user)]
        // Sent as `read.changed` and as `unread.changed`.
        case .unreadMarked(let mark, _, _): [.inbox(mark.user), .inbox(mark.user)]
        case .threadUpdated(let updated): [.channel(updated.channel)]
        case .emojiCreated, .emojiDeleted, .fileRegistered, .filesForgotten: []
        case .webhookSet, .webhookDeleted: []
        case .invited(let channel, let user, _, _), .invitationAccepted(let channel, let user),
            .invitationDeclined(let channel, let user, _, _), .invitationCancelled(let channel, let user, _, _),
            .memberLeft(let channel, let user), .operatorAdded(let channel, let user),
            .operatorRemoved(let channel, let user), .memberUnbanned(let channel, let user),
            .memberUnmuted(let channel, let user):
            [.channel(channel), .inbox(user)]
        case .memberJoined(let joined): [.channel(joined.channel), .inbox(joined.user)]
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned):
            [.channel(sanctioned.channel), .inbox(sanctioned.user)]
        }
    }
}

/// The claim by which a set of members identifies its distinct channel (`CH3`).
package struct DistinctKey: Hashable, Sendable {
    package let members: Set<UserID>
    /// Part of the claim only if the setting says so.
    package let customType: String?

    package init(members: Set<UserID>, customType: String?) {
        self.members = members
        self.customType = customType
    }
}
