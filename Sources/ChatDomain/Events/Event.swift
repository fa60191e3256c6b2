import ChatModel

/// A fact of the chat. The state is the fold of these; `decide` makes them, `evolve` cannot refuse them.
///
/// An event carries what was decided, never a setting it was decided by: folding it gives the same state for ever.
package enum Event: Equatable, Sendable {
    case userCreated(UserCreated)
    case userUpdated(UserUpdated)
    case preferencesChanged(UserID, autoAcceptInvitations: Bool)
    /// Shut out, and let in again (`US2`).
    case userDeactivated(UserID)
    case userActivated(UserID)
    /// Tokens of the user that were issued before this second are refused; the second never goes back.
    case tokensRevoked(UserID, before: Int64)
    /// A guest is still about: what comes and goes with connections is written down now and then.
    case guestSeen(UserID)
    /// A guest who was away for long is forgotten; by then they are in no channel.
    case guestRemoved(UserID)
    /// Who came and who left since the last such event, or none where only time has passed: whoever was connected when the
    /// journal ends was last seen by the time of its last record (`US7`).
    case usersSeen([Sighting])
    /// `L2`
    case pushPreferenceChanged(UserID, PushPreference)
    case deviceRegistered(UserID, Device)
    case deviceUnregistered(UserID, Device)
    case channelPushChanged(ChannelID, UserID, ChannelPush)
    case channelCreated(ChannelCreated)
    /// Someone new was invited or someone left: the set of members no longer finds the channel (`CH3`).
    case distinctEnded(ChannelID)
    /// In the cases of an invitation, `by` is the inviter and `invitedAt` when it was made: it is gone when its end is
    /// told.
    case invited(ChannelID, UserID, by: UserID?, role: MemberRole)
    case invitationAccepted(ChannelID, UserID)
    case invitationDeclined(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    /// The invited person is in as many channels as one may be (`US4`).
    case invitationCancelled(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    case memberJoined(MemberJoined)
    case memberLeft(ChannelID, UserID)
    /// The roles of members, and of invited people for the time when they accept (`ME2`).
    case operatorAdded(ChannelID, UserID)
    case operatorRemoved(ChannelID, UserID)
    /// Ends membership and invitation at once (`ME3`).
    case memberBanned(Sanctioned)
    case memberUnbanned(ChannelID, UserID)
    case memberMuted(Sanctioned)
    case memberUnmuted(ChannelID, UserID)
    case channelUpdated(ChannelUpdated)
    case metadataSet(ChannelID, [String: String])
    case metadataDeleted(ChannelID, keys: [String])
    /// The room's last event; a channel of the same id created later begins anew, at offset 1.
    case channelDeleted(ChannelID)
    case channelFrozen(ChannelID)
    case channelUnfrozen(ChannelID)
    /// The cases of hiding are one member's own: nobody else hears of them (`CH11`, `CH16`).
    case channelHidden(ChannelHidden)
    case channelUnhidden(ChannelID, UserID)
    case historyReset(ChannelID, UserID, visibleFrom: UInt64)
    case messageSent(MessageSent)
    case messageUpdated(MessageUpdated)
    case messageDeleted(ChannelID, MessageID)
    /// The marker of one reader went forward, in the channel or in a thread of it (`U2`, `T8`).
    case readMarked(ReadMark)
    /// The marker went back (`U3`).
    case unreadMarked(ReadMark, from: MessageID)
    case threadUpdated(ThreadUpdated)
    case reactionAdded(ChannelID, MessageID, key: String, by: UserID)
    case reactionRemoved(ChannelID, MessageID, key: String, by: UserID)
    case emojiCreated(Emoji)
    case emojiDeleted(Emoji)
    case reportCreated(ReportCreated)
    /// A file lies in the server's folder, before it is sent.
    case fileRegistered(UploadedFile)
    /// They belong to nothing any more and are deleted from the folder.
    case filesForgotten([FileID])
    /// What is absent stays as it was.
    case settingsChanged(SettingValues)
    /// A new webhook, or what took the place of the one of its id (`L2`).
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
        // Told as `read.changed` and as `unread.changed`.
        case .unreadMarked(let mark, _): [.inbox(mark.user), .inbox(mark.user)]
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

/// The claim that leads from a set of members to their distinct channel (`CH3`).
package struct DistinctKey: Hashable, Sendable {
    package let members: Set<UserID>
    /// Part of the claim only when the setting says so.
    package let customType: String?

    package init(members: Set<UserID>, customType: String?) {
        self.members = members
        self.customType = customType
    }
}
