import ChatModel

/// A fact of the chat. `decide` creates events; `evolve`, which cannot refuse any, builds the state from them.
///
/// An event contains the outcome of a decision, never the settings it was based on, so replaying it is deterministic.
package enum Event: Equatable, Sendable {
    case userCreated(UserCreated)
    case userUpdated(UserUpdated)
    case preferencesChanged(UserID, autoAcceptInvitations: Bool)
    /// A user was deactivated or activated again (`US2`).
    case userDeactivated(UserID)
    case userActivated(UserID)
    /// The user's connections were closed. Changes nothing in the state but the moderation log (`MO6`).
    case userDisconnected(UserID)
    /// The user's tokens issued before this second are refused; the second never decreases.
    case tokensRevoked(UserID, before: Int64)
    /// A guest is still active. Recorded periodically, because connections produce no events.
    case guestSeen(UserID)
    /// A guest was removed after a long absence, having left all channels.
    case guestRemoved(UserID)
    /// A user was deleted (`PR1`): the profile is gone, and later events replace the user in every channel.
    case userDeleted(UserDeleted)
    /// The alias of a deleted user took the user's place in a part of a channel.
    case userReplaced(UserReplaced)
    /// Nothing in the chat names the deleted user any longer.
    case userForgotten(UserID, alias: UserID)
    /// Users who connected or disconnected since the last such event; empty if only time has passed. A user still
    /// connected when the journal ends was last seen at the time of its last record (`US7`).
    case usersSeen([Sighting])
    /// Push preferences and the devices that receive pushes (`L2`).
    case pushPreferenceChanged(UserID, PushPreference)
    case deviceRegistered(UserID, Device)
    case deviceUnregistered(UserID, Device)
    case channelPushChanged(ChannelID, UserID, ChannelPush)
    case channelCreated(ChannelCreated)
    /// The set of members no longer identifies the channel, because another user was invited or a member left (`CH3`).
    case distinctEnded(ChannelID)
    /// Invitation events contain the inviter (`by`) and the time of the invitation (`invitedAt`), because the
    /// invitation is gone when its end is announced.
    case invited(ChannelID, UserID, by: UserID?, role: MemberRole)
    case invitationAccepted(ChannelID, UserID)
    case invitationDeclined(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    /// The invited user has reached the maximum number of channels (`US4`).
    case invitationCancelled(ChannelID, UserID, by: UserID?, invitedAt: Int64)
    case memberJoined(MemberJoined)
    case memberLeft(ChannelID, UserID)
    /// The new role of a member, or the role of an invited user after joining (`ME2`).
    case operatorAdded(ChannelID, UserID)
    case operatorRemoved(ChannelID, UserID)
    /// Ends a membership or an invitation (`ME3`).
    case memberBanned(Sanctioned)
    case memberUnbanned(ChannelID, UserID)
    case memberMuted(Sanctioned)
    case memberUnmuted(ChannelID, UserID)
    /// A user who is neither a member nor invited was banned from a channel; they are not told (`MO2`).
    case outsiderBanned(Sanctioned)
    case outsiderUnbanned(ChannelID, UserID)
    /// A user was banned from the whole app, or muted in it (`MO2`).
    case userBanned(AppSanctioned)
    case userUnbanned(UserID)
    case userMuted(AppSanctioned)
    case userUnmuted(UserID)
    /// Text rules were added or replaced, or removed (`MO3`).
    case textRulesSet([TextRuleDefinition])
    case textRulesDeleted([String])
    /// Tables of roles were changed (`RO1`).
    case rolesSet([RoleSet])
    /// A user blocked another one, or removed the block (`MO1`).
    case userBlocked(UserID, by: UserID)
    case userUnblocked(UserID, by: UserID)
    case channelUpdated(ChannelUpdated)
    case metadataSet(ChannelID, [String: String])
    case metadataDeleted(ChannelID, keys: [String])
    /// The last event of the room; a later channel with the same id starts at offset 1 again.
    case channelDeleted(ChannelID)
    case channelFrozen(ChannelID)
    case channelUnfrozen(ChannelID)
    /// A member hid or unhid a channel or cleared its history; nobody else receives these events (`CH11`, `CH16`).
    case channelHidden(ChannelHidden)
    case channelUnhidden(ChannelID, UserID)
    case historyReset(ChannelID, UserID, visibleFrom: UInt64)
    case messageSent(MessageSent)
    case messageUpdated(MessageUpdated)
    /// The event contains the uploads that go with the message; `nil` in records of versions before 5.
    case messageDeleted(ChannelID, MessageID, files: [FileID]? = nil)
    /// How long a channel keeps its messages (`PR4`).
    case retentionSet(ChannelID, Retention)
    /// The oldest messages of a channel were removed (`PR4`).
    case historyTrimmed(HistoryTrimmed)
    /// A read marker moved forward, in the channel or in one of its threads (`U2`, `T8`).
    case readMarked(ReadMark)
    /// The marker moved back (`U3`). The event contains the user's new unread totals; counting again during a restart
    /// would visit all of the user's channels for each such event. `nil` in records of older versions.
    case unreadMarked(ReadMark, from: MessageID, totals: UnreadTotals?)
    case threadUpdated(ThreadUpdated)
    case reactionAdded(ChannelID, MessageID, key: String, by: UserID)
    case reactionRemoved(ChannelID, MessageID, key: String, by: UserID)
    case emojiCreated(Emoji)
    case emojiDeleted(Emoji)
    case reportCreated(ReportCreated)
    /// A report was resolved or dismissed, or removed (`ME5`).
    case reportSettled(ReportSettled)
    /// - Parameter isOver: Whether the time of a decided report is over.
    case reportDeleted(MessageID, isOver: Bool = false)
    /// A file was stored in the server's folder but not yet sent.
    case fileRegistered(UploadedFile)
    /// These files are no longer referenced and are deleted from the folder.
    case filesForgotten([FileID])
    /// Absent settings keep their values.
    case settingsChanged(SettingValues)
    /// A new webhook, or a replacement for the one with the same id (`L2`).
    case webhookSet(WebhookTarget)
    case webhookDeleted(Webhook)
    /// The app's hook, or its removal (`MO4`).
    case hookSet(HookTarget?)
    /// An import began (`PR3`).
    case importStarted(ImportStarted)
    /// Lines of an import were accepted. Nobody sees what they add until it is settled.
    case importAdded(ImportAdded)
    /// Channels of an import were opened to their members, or discarded.
    case importSettled(ImportSettled)

    /// The version of the record format from which readers know the event, if an earlier one cannot express it.
    package var leastVersion: UInt32 {
        switch self {
        case .historyTrimmed(let trimmed): trimmed.clientIDsFrom == nil ? 6 : 8
        case .retentionSet, .importStarted, .importAdded, .importSettled: 6
        case .userDeleted, .userReplaced, .userForgotten: 7
        case .outsiderBanned, .outsiderUnbanned, .userBanned, .userUnbanned, .userMuted, .userUnmuted: 8
        case .userBlocked, .userUnblocked, .reportSettled, .reportDeleted, .textRulesSet, .textRulesDeleted, .rolesSet,
            .hookSet, .userDisconnected:
            8
        default: 0
        }
    }

    /// The rooms in which the event has an offset, starting with the channel's.
    package var rooms: [Room] {
        switch self {
        case .userCreated, .userUpdated, .preferencesChanged, .userDeactivated, .userActivated, .tokensRevoked: []
        case .guestSeen, .guestRemoved, .usersSeen, .userDeleted, .userReplaced, .userForgotten, .userDisconnected: []
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
        case .messageDeleted(let channel, _, _): [.channel(channel)]
        case .retentionSet, .historyTrimmed: []
        case .reactionAdded(let channel, _, _, _), .reactionRemoved(let channel, _, _, _): [.channel(channel)]
        case .reportCreated, .reportSettled, .reportDeleted, .settingsChanged, .textRulesSet, .textRulesDeleted,
            .rolesSet:
            []
        case .readMarked(let mark): [.inbox(mark.user)]
        // Sent as both `read.changed` and `unread.changed`.
        case .unreadMarked(let mark, _, _): [.inbox(mark.user), .inbox(mark.user)]
        case .threadUpdated(let updated): [.channel(updated.channel)]
        case .emojiCreated, .emojiDeleted, .fileRegistered, .filesForgotten: []
        case .webhookSet, .webhookDeleted, .hookSet: []
        case .importStarted, .importAdded, .importSettled: []
        case .invited(let channel, let user, _, _), .invitationAccepted(let channel, let user),
            .invitationDeclined(let channel, let user, _, _), .invitationCancelled(let channel, let user, _, _),
            .memberLeft(let channel, let user), .operatorAdded(let channel, let user),
            .operatorRemoved(let channel, let user), .memberUnbanned(let channel, let user),
            .memberUnmuted(let channel, let user):
            [.channel(channel), .inbox(user)]
        case .memberJoined(let joined): [.channel(joined.channel), .inbox(joined.user)]
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned):
            [.channel(sanctioned.channel), .inbox(sanctioned.user)]
        case .outsiderBanned(let sanctioned): [.channel(sanctioned.channel)]
        case .outsiderUnbanned(let channel, _): [.channel(channel)]
        case .userBanned(let sanctioned), .userMuted(let sanctioned): [.inbox(sanctioned.user)]
        case .userUnbanned(let user), .userUnmuted(let user): [.inbox(user)]
        case .userBlocked(_, let user), .userUnblocked(_, let user): [.inbox(user)]
        }
    }
}

/// The set of members that identifies a distinct channel (`CH3`).
package struct DistinctKey: Hashable, Sendable {
    package let members: Set<UserID>
    /// The custom type, if the settings distinguish channels by it.
    package let customType: String?

    package init(members: Set<UserID>, customType: String?) {
        self.members = members
        self.customType = customType
    }
}
