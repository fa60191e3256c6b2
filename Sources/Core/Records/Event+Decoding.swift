import ChatDomain
import ChatModel

extension Event {
    init(_ proto: ProtoRecord.OneOf_Event) throws(RecordError) {
        switch proto {
        case .userCreated(let created): self = .userCreated(try UserCreated(created))
        case .userUpdated(let updated): self = .userUpdated(try UserUpdated(updated))
        case .preferencesChanged(let changed):
            self = .preferencesChanged(try user(changed.user), autoAcceptInvitations: changed.autoAcceptInvitations)
        case .userDeactivated(let it): self = .userDeactivated(try user(it.user))
        case .userActivated(let it): self = .userActivated(try user(it.user))
        case .userDisconnected(let it): self = .userDisconnected(try user(it.user))
        case .tokensRevoked(let it): self = .tokensRevoked(try user(it.user), before: it.before)
        case .guestSeen(let it): self = .guestSeen(try user(it.user))
        case .usersSeen(let it): self = .usersSeen(try decodeAll(it.users, Sighting.init))
        case .guestRemoved(let it): self = .guestRemoved(try user(it.user))
        case .pushPreferenceChanged(let changed):
            self = .pushPreferenceChanged(try user(changed.user), try changed.push.preference())
        case .deviceRegistered(let it): self = .deviceRegistered(try user(it.user), try it.device())
        case .deviceUnregistered(let it): self = .deviceUnregistered(try user(it.user), try it.device())
        case .channelPushChanged(let it):
            self = .channelPushChanged(try channel(it.channel), try user(it.user), try it.push.value("push"))
        case .channelCreated(let created): self = .channelCreated(try ChannelCreated(created))
        case .distinctEnded(let it): self = .distinctEnded(try channel(it.channel))
        case .invited(let it):
            self = .invited(
                try channel(it.channel), try user(it.user), by: try optionalUser(it.by, "by"),
                role: try it.role.value("role"))
        case .invitationAccepted(let it): self = .invitationAccepted(try channel(it.channel), try user(it.user))
        case .invitationDeclined(let it):
            self = .invitationDeclined(
                try channel(it.channel), try user(it.user), by: try optionalUser(it.by, "by"), invitedAt: it.invitedAt)
        case .invitationCancelled(let it):
            self = .invitationCancelled(
                try channel(it.channel), try user(it.user), by: try optionalUser(it.by, "by"), invitedAt: it.invitedAt)
        case .memberJoined(let joined): self = .memberJoined(try MemberJoined(joined))
        case .memberLeft(let it): self = .memberLeft(try channel(it.channel), try user(it.user))
        case .operatorAdded(let it): self = .operatorAdded(try channel(it.channel), try user(it.user))
        case .operatorRemoved(let it): self = .operatorRemoved(try channel(it.channel), try user(it.user))
        case .memberBanned(let it): self = .memberBanned(try Sanctioned(it))
        case .memberUnbanned(let it): self = .memberUnbanned(try channel(it.channel), try user(it.user))
        case .memberMuted(let it): self = .memberMuted(try Sanctioned(it))
        case .memberUnmuted(let it): self = .memberUnmuted(try channel(it.channel), try user(it.user))
        case .outsiderBanned(let it): self = .outsiderBanned(try Sanctioned(it))
        case .outsiderUnbanned(let it): self = .outsiderUnbanned(try channel(it.channel), try user(it.user))
        case .rolesSet(let it): self = .rolesSet(try decodeAll(it.grants, RoleSet.init))
        case .textRulesSet(let it): self = .textRulesSet(try decodeAll(it.rules, TextRuleDefinition.init))
        case .textRulesDeleted(let it): self = .textRulesDeleted(it.ids)
        case .reportSettled(let it): self = .reportSettled(try ReportSettled(it))
        case .reportDeleted(let it): self = .reportDeleted(it.id.message, isOver: it.isOver)
        case .userBlocked(let it): self = .userBlocked(try user(it.user), by: try user(it.by, "by"))
        case .userUnblocked(let it): self = .userUnblocked(try user(it.user), by: try user(it.by, "by"))
        case .userBanned(let it): self = .userBanned(try AppSanctioned(it))
        case .userUnbanned(let it): self = .userUnbanned(try user(it.user))
        case .userMuted(let it): self = .userMuted(try AppSanctioned(it))
        case .userUnmuted(let it): self = .userUnmuted(try user(it.user))
        case .channelUpdated(let updated): self = .channelUpdated(try ChannelUpdated(updated))
        case .metadataSet(let it): self = .metadataSet(try channel(it.channel), it.values)
        case .metadataDeleted(let it): self = .metadataDeleted(try channel(it.channel), keys: it.keys)
        case .channelDeleted(let it): self = .channelDeleted(try channel(it.channel))
        case .channelFrozen(let it): self = .channelFrozen(try channel(it.channel))
        case .channelUnfrozen(let it): self = .channelUnfrozen(try channel(it.channel))
        case .channelHidden(let hidden): self = .channelHidden(try ChannelHidden(hidden))
        case .channelUnhidden(let it): self = .channelUnhidden(try channel(it.channel), try user(it.user))
        case .historyReset(let it):
            self = .historyReset(try channel(it.channel), try user(it.user), visibleFrom: it.visibleFrom)
        case .messageSent(let sent): self = .messageSent(try MessageSent(sent))
        case .messageUpdated(let updated): self = .messageUpdated(try MessageUpdated(updated))
        case .messageDeleted(let it):
            self = .messageDeleted(
                try channel(it.channel), it.message.message, files: it.hasFiles ? it.files.values.map(\.file) : nil)
        case .retentionSet(let it): self = .retentionSet(try channel(it.channel), Retention(it.retention))
        case .historyTrimmed(let trimmed): self = .historyTrimmed(try HistoryTrimmed(trimmed))
        case .readMarked(let mark): self = .readMarked(try ReadMark(mark))
        case .unreadMarked(let it):
            self = .unreadMarked(
                try ReadMark(it.mark), from: it.from.message, totals: it.hasTotals ? UnreadTotals(it.totals) : nil)
        case .threadUpdated(let updated): self = .threadUpdated(try ThreadUpdated(updated))
        case .reactionAdded(let it):
            self = .reactionAdded(try channel(it.channel), it.message.message, key: it.key, by: try user(it.by, "by"))
        case .reactionRemoved(let it):
            self = .reactionRemoved(try channel(it.channel), it.message.message, key: it.key, by: try user(it.by, "by"))
        case .emojiCreated(let emoji): self = .emojiCreated(Emoji(emoji))
        case .emojiDeleted(let emoji): self = .emojiDeleted(Emoji(emoji))
        case .reportCreated(let created): self = .reportCreated(try ReportCreated(created))
        case .fileRegistered(let file): self = .fileRegistered(try UploadedFile(file))
        case .filesForgotten(let it): self = .filesForgotten(it.ids.map(\.file))
        case .settingsChanged(let settings): self = .settingsChanged(try SettingValues(settings))
        case .webhookSet(let it): self = .webhookSet(WebhookTarget(it))
        case .hookSet(let it): self = .hookSet(try HookTarget(it))
        case .webhookDeleted(let it): self = .webhookDeleted(Webhook(it))
        case .importStarted(let started): self = .importStarted(ImportStarted(started))
        case .importAdded(let added): self = .importAdded(try ImportAdded(added))
        case .importSettled(let settled): self = .importSettled(try ImportSettled(settled))
        case .userDeleted(let deleted): self = .userDeleted(try UserDeleted(deleted))
        case .userReplaced(let replaced): self = .userReplaced(try UserReplaced(replaced))
        case .userForgotten(let it): self = .userForgotten(try user(it.user), alias: try user(it.alias, "alias"))
        }
    }
}
