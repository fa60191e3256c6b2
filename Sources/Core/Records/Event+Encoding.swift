import ChatDomain
import ChatModel

extension ProtoRecord.OneOf_Event {
    init(_ event: Event) {
        self =
            switch event {
            case .userCreated(let created): .userCreated(ProtoUserCreated(created))
            case .userUpdated(let updated): .userUpdated(ProtoUserUpdated(updated))
            case .preferencesChanged(let user, let autoAccept):
                .preferencesChanged(
                    .with {
                        $0.user = user.rawValue
                        $0.autoAcceptInvitations = autoAccept
                    })
            case .userDeactivated(let user): .userDeactivated(.with { $0.user = user.rawValue })
            case .userActivated(let user): .userActivated(.with { $0.user = user.rawValue })
            case .userDisconnected(let user): .userDisconnected(.with { $0.user = user.rawValue })
            case .tokensRevoked(let user, let before):
                .tokensRevoked(
                    .with {
                        $0.user = user.rawValue
                        $0.before = before
                    })
            case .guestSeen(let user): .guestSeen(.with { $0.user = user.rawValue })
            case .guestRemoved(let user): .guestRemoved(.with { $0.user = user.rawValue })
            case .usersSeen(let sightings): .usersSeen(.with { $0.users = sightings.map(ProtoUserSeen.init) })
            case .pushPreferenceChanged(let user, let push):
                .pushPreferenceChanged(
                    .with {
                        $0.user = user.rawValue
                        $0.push = ProtoPush(push)
                    })
            case .deviceRegistered(let user, let device): .deviceRegistered(ProtoUserDevice(user, device))
            case .deviceUnregistered(let user, let device): .deviceUnregistered(ProtoUserDevice(user, device))
            case .channelPushChanged(let channel, let user, let push):
                .channelPushChanged(
                    .with {
                        $0.channel = channel.rawValue
                        $0.user = user.rawValue
                        $0.push = ProtoPush(push)
                    })
            case .channelCreated(let created): .channelCreated(ProtoChannelCreated(created))
            case .distinctEnded(let channel): .distinctEnded(ProtoChannelOnly(channel))
            case .invited(let channel, let user, let by, let role):
                .invited(
                    .with {
                        $0.channel = channel.rawValue
                        $0.user = user.rawValue
                        $0.by = by?.rawValue ?? ""
                        $0.role = ProtoRole(role)
                    })
            case .invitationAccepted(let channel, let user): .invitationAccepted(ProtoMembership(channel, user))
            case .invitationDeclined(let channel, let user, let by, let at):
                .invitationDeclined(ProtoInvitationEnd(channel, user, by, at))
            case .invitationCancelled(let channel, let user, let by, let at):
                .invitationCancelled(ProtoInvitationEnd(channel, user, by, at))
            case .memberJoined(let joined): .memberJoined(ProtoMemberJoined(joined))
            case .memberLeft(let channel, let user): .memberLeft(ProtoMembership(channel, user))
            case .operatorAdded(let channel, let user): .operatorAdded(ProtoMembership(channel, user))
            case .operatorRemoved(let channel, let user): .operatorRemoved(ProtoMembership(channel, user))
            case .memberBanned(let sanctioned): .memberBanned(ProtoSanctioned(sanctioned))
            case .memberUnbanned(let channel, let user): .memberUnbanned(ProtoMembership(channel, user))
            case .memberMuted(let sanctioned): .memberMuted(ProtoSanctioned(sanctioned))
            case .memberUnmuted(let channel, let user): .memberUnmuted(ProtoMembership(channel, user))
            case .outsiderBanned(let sanctioned): .outsiderBanned(ProtoSanctioned(sanctioned))
            case .outsiderUnbanned(let channel, let user): .outsiderUnbanned(ProtoMembership(channel, user))
            case .rolesSet(let grants): .rolesSet(.with { $0.grants = grants.map(ProtoRoleGrant.init) })
            case .textRulesSet(let rules): .textRulesSet(.with { $0.rules = rules.map(ProtoTextRule.init) })
            case .textRulesDeleted(let ids): .textRulesDeleted(.with { $0.ids = ids })
            case .reportSettled(let settled): .reportSettled(ProtoReportSettled(settled))
            case .reportDeleted(let id, let isOver):
                .reportDeleted(
                    .with {
                        $0.id = ProtoId(id)
                        $0.isOver = isOver
                    })
            case .userBlocked(let user, let by): .userBlocked(ProtoBlock(user, by))
            case .userUnblocked(let user, let by): .userUnblocked(ProtoBlock(user, by))
            case .userBanned(let sanctioned): .userBanned(ProtoAppSanctioned(sanctioned))
            case .userUnbanned(let user): .userUnbanned(.with { $0.user = user.rawValue })
            case .userMuted(let sanctioned): .userMuted(ProtoAppSanctioned(sanctioned))
            case .userUnmuted(let user): .userUnmuted(.with { $0.user = user.rawValue })
            case .channelUpdated(let updated): .channelUpdated(ProtoChannelUpdated(updated))
            case .metadataSet(let channel, let values):
                .metadataSet(
                    .with {
                        $0.channel = channel.rawValue
                        $0.values = values
                    })
            case .metadataDeleted(let channel, let keys):
                .metadataDeleted(
                    .with {
                        $0.channel = channel.rawValue
                        $0.keys = keys
                    })
            case .channelDeleted(let channel): .channelDeleted(ProtoChannelOnly(channel))
            case .channelFrozen(let channel): .channelFrozen(ProtoChannelOnly(channel))
            case .channelUnfrozen(let channel): .channelUnfrozen(ProtoChannelOnly(channel))
            case .channelHidden(let hidden): .channelHidden(ProtoChannelHidden(hidden))
            case .channelUnhidden(let channel, let user): .channelUnhidden(ProtoMembership(channel, user))
            case .historyReset(let channel, let user, let visibleFrom):
                .historyReset(
                    .with {
                        $0.channel = channel.rawValue
                        $0.user = user.rawValue
                        $0.visibleFrom = visibleFrom
                    })
            case .messageSent(let sent): .messageSent(ProtoMessageSent(sent))
            case .messageUpdated(let updated): .messageUpdated(ProtoMessageUpdated(updated))
            case .messageDeleted(let channel, let message, let files):
                .messageDeleted(
                    .with {
                        $0.channel = channel.rawValue
                        $0.message = ProtoId(message)
                        if let files { $0.files = .with { $0.values = files.map(ProtoId.init) } }
                    })
            case .retentionSet(let channel, let retention):
                .retentionSet(
                    .with {
                        $0.channel = channel.rawValue
                        $0.retention = ProtoRetention(retention)
                    })
            case .historyTrimmed(let trimmed): .historyTrimmed(ProtoHistoryTrimmed(trimmed))
            case .readMarked(let mark): .readMarked(ProtoReadMark(mark))
            case .unreadMarked(let mark, let from, let totals):
                .unreadMarked(
                    .with {
                        $0.mark = ProtoReadMark(mark)
                        $0.from = ProtoId(from)
                        if let totals { $0.totals = ProtoUnreadTotals(totals) }
                    })
            case .threadUpdated(let updated): .threadUpdated(ProtoThreadUpdated(updated))
            case .reactionAdded(let channel, let message, let key, let user):
                .reactionAdded(ProtoReaction(channel, message, key, user))
            case .reactionRemoved(let channel, let message, let key, let user):
                .reactionRemoved(ProtoReaction(channel, message, key, user))
            case .emojiCreated(let emoji): .emojiCreated(ProtoEmoji(emoji))
            case .emojiDeleted(let emoji): .emojiDeleted(ProtoEmoji(emoji))
            case .reportCreated(let created): .reportCreated(ProtoReportCreated(created))
            case .fileRegistered(let file): .fileRegistered(ProtoUploadedFile(file))
            case .filesForgotten(let ids): .filesForgotten(.with { $0.ids = ids.map(ProtoId.init) })
            case .settingsChanged(let values): .settingsChanged(ProtoSettings(values))
            case .webhookSet(let target): .webhookSet(ProtoWebhook(target))
            case .hookSet(let target): .hookSet(target.map(ProtoHook.init) ?? ProtoHook())
            case .webhookDeleted(let webhook): .webhookDeleted(ProtoWebhook(webhook, secret: ""))
            case .importStarted(let started): .importStarted(ProtoImportStarted(started))
            case .importAdded(let added): .importAdded(ProtoImportAdded(added))
            case .importSettled(let settled): .importSettled(ProtoImportSettled(settled))
            case .userDeleted(let deleted): .userDeleted(ProtoUserDeleted(deleted))
            case .userReplaced(let replaced): .userReplaced(ProtoUserReplaced(replaced))
            case .userForgotten(let user, let alias):
                .userForgotten(
                    .with {
                        $0.user = user.rawValue
                        $0.alias = alias.rawValue
                    })
            }
    }
}
