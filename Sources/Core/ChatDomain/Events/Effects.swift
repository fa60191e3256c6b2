import ChatModel

/// A consequence of a record for its listeners. Effects must be carried out in order.
///
/// Indirect, because effects pass through many functions on their way to the loops, and some cases are large.
package indirect enum Effect: Sendable {
    /// Subscribes the user's open connections to the room before the event is delivered there.
    case gained(UserID, RoomStanding)
    /// Ends delivery from the room to the user's connections.
    case lost(UserID, Room)
    /// Ends delivery from the room to all guests.
    case guestsLost(Room)
    /// Moves the start of the user's visible history: their open connections no longer see earlier messages.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case announce(Announcement)
    /// Delivers an event to the rooms' current listeners, without an offset; it cannot be recovered.
    ///
    /// - Parameter hiddenFrom: The users who do not receive it.
    case transient([Room], TypedEvent, hiddenFrom: [UserID: Int64] = [:])
    /// Closes the user's connections; nothing is delivered to them afterwards (`US2`).
    case disconnected(UserID)
    /// Closes the user's connections whose token was issued before this second.
    case tokensRevoked(UserID, before: Int64)
    /// Delivers an event to the room's current listeners, without an offset; it cannot be recovered. Never dropped for
    /// slow readers.
    case deliver(TypedEvent, to: Room)
    /// Ends the room: a channel's listeners are unsubscribed, and its past events are no longer delivered.
    case ended(Room)
    /// Frees an object on another queue; delivers nothing.
    case discarded(DiscardedObject)
    case webhooksChanged([WebhookTarget])
    /// Removes a deleted message's content from the events kept for recovery. Precedes the announcement of the
    /// deletion.
    case redacted(Room, MessageID, at: Int64)
    /// Removes the events up to an offset from those kept for recovery, and the content of older messages from later
    /// events.
    case trimmed(Room, upTo: UInt64, firstKept: MessageID?, at: Int64)
    /// Deletes unreferenced files from the folder.
    case filesRemoved([FileID])
    /// Notes the deletion of a user outside the chat, so that a restored backup repeats it (`PR1`).
    case erased(UserID?, ErasedUser)
    /// Removes events that name a deleted user from those kept for recovery, and what names the user from the disk.
    case forgotten(UserID, alias: UserID)
    /// Tells webhooks, and nobody else, about an event without a room.
    ///
    /// - Parameter id: The id of the delivery, the same for every attempt.
    case notify(TypedEvent, id: String)
    /// Starts the search for the push recipients of a message, which takes several turns.
    case pushing(PushSearch)
    case push(PushNotice)
    /// Completes the search of an earlier `pushing`.
    case pushed
}

/// An event in the form sent to listeners. A class, because an event takes 4 KiB.
package final class Announcement: Sendable {
    private final class EventBox: Sendable {
        let event: TypedEvent
        init(_ event: TypedEvent) { self.event = event }
    }

    package let event: TypedEvent
    private let redactedBox: EventBox?
    /// The offset of the older message that the event is about. Members whose visible history starts later get the
    /// redacted form.
    package let hidesBefore: UInt64
    package let positions: [RoomOffset]

    init(event: TypedEvent, redacted: TypedEvent?, hidesBefore: UInt64, positions: [RoomOffset]) {
        self.event = event
        redactedBox = redacted.map(EventBox.init)
        self.hidesBefore = hidesBefore
        self.positions = positions
    }

    /// The event with ids only, for members whose visible history starts after `hidesBefore` (`CH7`).
    package var redacted: TypedEvent? { redactedBox?.event }

    /// The size of both JSON forms together, in bytes.
    package var wireSize: Int { event.wireSize + (redacted?.wireSize ?? 0) }
}

/// A user's access to a room and position in it.
package struct RoomStanding: Sendable, Equatable {
    package let room: Room
    package let offset: UInt64
    package let epoch: String
    /// The first offset that can be recovered from; earlier positions precede the membership or lie in an absence.
    package let since: UInt64
    /// The first offset whose message the user may see.
    package let visibleFrom: UInt64
}

extension ChatState {
    /// Returns the consequences of a record. Must be called right after `evolve(record)`, because it uses the resulting
    /// state.
    package func effects(of record: Record, _ settings: ChatSettings) -> [Effect] {
        let effects = eventEffects(of: record, settings)
        guard !removedFiles.isEmpty || !discarded.isEmpty else { return effects }
        return effects + (removedFiles.isEmpty ? [] : [.filesRemoved(removedFiles)]) + discarded.map { .discarded($0) }
    }

    private func eventEffects(of record: Record, _ settings: ChatSettings) -> [Effect] {
        guard let first = record.positions.first else {
            return effectsOutsideRooms(record, settings) + webhookEffects(of: record)
        }
        switch record.event {
        case .userCreated, .userUpdated, .preferencesChanged, .emojiCreated, .emojiDeleted, .userDeactivated,
            .userActivated, .tokensRevoked, .guestSeen, .guestRemoved, .usersSeen, .reportCreated, .reportSettled,
            .reportDeleted, .userDeleted, .userReplaced, .userForgotten, .userDisconnected:
            return []
        case .settingsChanged, .webhookSet, .webhookDeleted, .hookSet, .textRulesSet, .textRulesDeleted, .rolesSet:
            return []
        case .pushPreferenceChanged, .deviceRegistered, .deviceUnregistered, .channelPushChanged: return []
        case .fileRegistered, .filesForgotten, .retentionSet, .historyTrimmed: return []
        case .importStarted, .importAdded, .importSettled: return []
        case .channelCreated(let created):
            let announcement = announce(record, .channelCreated, about: created.id)
            guard let creator = created.creator else { return [announcement] }
            return [gain(creator, created.id, at: first), announcement]
        case .distinctEnded(let id): return [announce(record, .channelUpdated, about: id)]
        case .invited(let id, let user, let inviter, _):
            return [announceInvitation(record, .invitationReceived, id, user, inviter, record.at)]
        case .invitationAccepted(let id, let user):
            let invitation = channels[id]?.invitations[user]
            return [
                announceInvitation(
                    record, .invitationAccepted, id, user, invitation?.inviter, invitation?.at ?? record.at)
            ]
        case .invitationDeclined(let id, let user, let inviter, let invitedAt):
            return [announceInvitation(record, .invitationDeclined, id, user, inviter, invitedAt)]
        case .invitationCancelled(let id, let user, let inviter, let invitedAt):
            return [announceInvitation(record, .invitationCancelled, id, user, inviter, invitedAt)]
        case .memberJoined(let joined):
            return [
                gain(joined.user, joined.channel, at: first),
                announceMember(record, .memberJoined, joined.channel, joined.user),
            ]
        case .memberLeft(let id, let user):
            return [.lost(user, .channel(id)), announceMember(record, .memberLeft, id, user)]
        case .operatorAdded(let id, let user): return [announceMember(record, .operatorAdded, id, user)]
        case .operatorRemoved(let id, let user): return [announceMember(record, .operatorRemoved, id, user)]
        case .memberBanned(let banned):
            return [
                .lost(banned.user, .channel(banned.channel)),
                announceMember(record, .memberBanned, banned.channel, banned.user),
            ]
        case .outsiderBanned(let banned):
            return [announceMember(record, .memberBanned, banned.channel, banned.user)]
        case .memberUnbanned(let id, let user), .outsiderUnbanned(let id, let user):
            return [announceMember(record, .memberUnbanned, id, user)]
        case .memberMuted(let muted): return [announceMember(record, .memberMuted, muted.channel, muted.user)]
        case .memberUnmuted(let id, let user): return [announceMember(record, .memberUnmuted, id, user)]
        case .userBlocked(let other, _): return [announceBlock(record, other, isBlocked: true)]
        case .userUnblocked(let other, _): return [announceBlock(record, other, isBlocked: false)]
        case .userBanned(let banned):
            return [announceSanction(record, .userBanned, banned), .disconnected(banned.user)]
        case .userMuted(let muted): return [announceSanction(record, .userMuted, muted)]
        case .userUnbanned(let user): return [announceLifting(record, .userUnbanned, user)]
        case .userUnmuted(let user): return [announceLifting(record, .userUnmuted, user)]
        case .channelUpdated(let updated):
            let announcement = announce(record, .channelUpdated, about: updated.channel)
            guard vacates(updated) else { return [announcement] }
            return [.guestsLost(.channel(updated.channel)), announcement]
        case .metadataSet(let id, _), .metadataDeleted(let id, _):
            return [announce(record, .channelUpdated, about: id)]
        case .channelDeleted(let id): return endOfRoom(record, id)
        case .channelFrozen(let id): return [announce(record, .channelFrozen, about: id)]
        case .channelUnfrozen(let id): return [announce(record, .channelUnfrozen, about: id)]
        case .channelHidden(let hidden):
            let event = announceToSelf(record, .channelHidden, hidden.channel, hidden.user)
            return hidden.visibleFrom == nil ? [event] : [narrow(hidden.user, in: hidden.channel), event]
        case .channelUnhidden(let id, let user): return [announceToSelf(record, .channelUnhidden, id, user)]
        case .historyReset(let id, let user, _):
            return [narrow(user, in: id), announceToSelf(record, .channelHistoryReset, id, user)]
        case .messageSent(let sent): return announceMessage(record, sent, settings) + pushes(record, sent)
        case .messageUpdated(let updated): return announceUpdate(record, updated.id, in: updated.channel)
        case .messageDeleted(let id, let message, _):
            return announceDeletion(record, message, in: id, settings)
        case .readMarked(let mark): return announceRead(record, mark, settings)
        case .unreadMarked(let mark, let message, let totals):
            return announceUnread(record, mark, from: message, totals)
        case .threadUpdated(let updated): return announceThread(record, updated, settings)
        case .reactionAdded(let id, let message, let key, let user):
            return announceReaction(record, .add, key, by: user, on: message, in: id)
        case .reactionRemoved(let id, let message, let key, let user):
            return announceReaction(record, .remove, key, by: user, on: message, in: id)
        }
    }

    /// Returns the effects of an event that has no position in any room.
    private func effectsOutsideRooms(_ record: Record, _ settings: ChatSettings) -> [Effect] {
        switch record.event {
        case .userDeactivated(let user): [.disconnected(user)] + announceProfile(record, of: user, settings)
        case .userDisconnected(let user): [.disconnected(user)]
        case .tokensRevoked(let user, let before): [.tokensRevoked(user, before: before)]
        case .guestRemoved(let user): [.ended(.inbox(user))]
        case .userDeleted(let deleted):
            (deleted.id.map { [.disconnected($0)] + announceProfile(record, of: $0, settings) } ?? [])
                + [.erased(deleted.id, deleted.erased)]
        case .userForgotten(let user, let alias): [.ended(.inbox(user)), .forgotten(user, alias: alias)]
        case .userActivated(let user): announceProfile(record, of: user, settings)
        case .reportCreated(let created): notifyReport(record, .reportCreated, created.id)
        case .reportSettled(let settled): notifyReport(record, .reportResolved, settled.id)
        case .userUpdated(let updated): announceProfile(record, of: updated.id, settings)
        case .historyTrimmed(let trimmed):
            [
                .trimmed(
                    .channel(trimmed.channel), upTo: trimmed.upTo,
                    firstKept: channels[trimmed.channel]?.messages.first?.id, at: record.at)
            ]
        case .importSettled(let settled): settled.opened.flatMap { gains(of: $0.channel) }
        default: []
        }
    }

    private func notifyReport(_ record: Record, _ type: EventType, _ id: MessageID) -> [Effect] {
        guard let report = reports[id] else { return [] }
        let event = TypedEvent(type: type, at: record.at, by: record.by, report: report)
        return [.notify(event, id: "\(type.rawValue)-\(id)-\(record.at)")]
    }

    /// Announces a changed profile without its metadata, which may be large; clients that show metadata request it.
    private func announceProfile(_ record: Record, of id: UserID, _ settings: ChatSettings) -> [Effect] {
        let rooms = smallChannels(of: id, settings)
        guard let user = users[id], !rooms.isEmpty else { return [] }
        var view = user.signature
        view.isActive = user.isActive
        return [.transient(rooms, TypedEvent(type: .userUpdated, at: record.at, by: record.by, user: view))]
    }

    /// Returns whether the update makes a channel with many guests private; they then leave in later turns. A few
    /// guests leave with the update itself and still receive it.
    private func vacates(_ updated: Event.ChannelUpdated) -> Bool {
        guard updated.isPublic == false, let channel = channels[updated.channel] else { return false }
        return channel.members.departingCount > Self.guestsLeavingAtOnce
    }

    /// Subscribes a new member from the position before the event, so that they receive the event too.
    private func gain(_ user: UserID, _ id: ChannelID, at first: RoomOffset) -> Effect {
        let channel = channels[id]
        return .gained(
            user,
            RoomStanding(
                room: .channel(id), offset: first.offset - 1, epoch: channel?.epoch ?? "", since: first.offset - 1,
                visibleFrom: channel?.members[user]?.visibleFrom ?? 0))
    }

    private func announce(_ record: Record, _ type: EventType, about id: ChannelID) -> Effect {
        announce(
            record,
            TypedEvent(
                type: type, at: record.at, by: record.by, channel: channels[id].map { view(of: $0, for: nil) }))
    }

    /// Announces the deletion before the listeners are unsubscribed.
    private func endOfRoom(_ record: Record, _ id: ChannelID) -> [Effect] {
        guard let lastDeleted else { return [] }
        let event = TypedEvent(type: .channelDeleted, at: record.at, by: record.by, channel: lastDeleted.view)
        return [announce(record, event), .ended(.channel(id))]
    }

    private func announceMember(_ record: Record, _ type: EventType, _ id: ChannelID, _ user: UserID) -> Effect {
        announce(
            record,
            TypedEvent(
                type: type, at: record.at, by: record.by, channelID: id,
                member: channels[id].map { view(of: user, in: $0) }))
    }

    private func announceSanction(_ record: Record, _ type: EventType, _ sanctioned: Event.AppSanctioned) -> Effect {
        announce(
            record,
            TypedEvent(
                type: type, at: record.at, by: record.by,
                sanction: Sanction(
                    user: signature(of: sanctioned.user), until: sanctioned.until,
                    description: sanctioned.description, at: record.at, by: record.by)))
    }

    private func announceLifting(_ record: Record, _ type: EventType, _ user: UserID) -> Effect {
        announce(record, TypedEvent(type: type, at: record.at, by: record.by, user: signature(of: user)))
    }

    private func announceBlock(_ record: Record, _ other: UserID, isBlocked: Bool) -> Effect {
        announce(
            record,
            TypedEvent(
                type: .blockChanged, at: record.at, by: record.by,
                block: BlockChange(user: signature(of: other), isBlocked: isBlocked)))
    }

    private func announceInvitation(
        _ record: Record, _ type: EventType, _ id: ChannelID, _ user: UserID, _ inviter: UserID?, _ invitedAt: Int64
    ) -> Effect {
        announce(
            record,
            TypedEvent(
                type: type, at: record.at, by: record.by, channelID: id,
                invitation: channels[id].map { channel in
                    Invitation(
                        channel: invitedView(of: channel), inviter: inviter.map(signature),
                        invitee: signature(of: user), at: invitedAt)
                }))
    }

    /// Omits fields that can hold hundreds of kilobytes, because one command may invite hundreds of users.
    private func invitedView(of channel: ChannelState) -> Channel {
        view(of: channel, for: nil).abridged
    }

    private func announce(_ record: Record, _ event: TypedEvent) -> Effect {
        .announce(Announcement(event: event, redacted: nil, hidesBefore: 0, positions: record.positions))
    }

    private func announceMessage(
        _ record: Record, _ sent: Event.MessageSent, _ settings: ChatSettings
    ) -> [Effect] {
        guard let channel = channels[sent.channel], channel.contains(sent.id) else { return [] }
        let message = StoredMessage(sent, of: record)
        guard let parentID = sent.parent else {
            return [
                announce(
                    record,
                    TypedEvent(
                        type: .messageNew, at: record.at, by: record.by,
                        message: view(of: message, in: channel, visibleFrom: 0)))
            ]
        }
        func reply(visibleFrom: UInt64, isVisible: Bool) -> TypedEvent {
            TypedEvent(
                type: .threadReply, at: record.at, by: record.by,
                message: view(of: message, in: channel, visibleFrom: visibleFrom, quoting: sent.quote),
                thread: thread(of: parentID, in: channel, isVisible: isVisible, settings))
        }
        return [
            .announce(
                Announcement(
                    event: reply(visibleFrom: 0, isVisible: true),
                    redacted: reply(visibleFrom: .max, isVisible: false),
                    hidesBefore: channel.message(parentID)?.offset ?? 0, positions: record.positions))
        ]
    }
}

extension ChatState {
    /// Restricts the user's connections to the visible history recorded in the state.
    func narrow(_ user: UserID, in id: ChannelID) -> Effect {
        .narrowed(user, .channel(id), visibleFrom: channels[id]?.members[user]?.visibleFrom ?? .max)
    }

    /// Announces the channel as its receiver sees it, without the last message, because one message can unhide the
    /// channel for thousands of users.
    func announceToSelf(_ record: Record, _ type: EventType, _ id: ChannelID, _ user: UserID) -> Effect {
        let channel = channels[id].map { view(of: $0, for: user, at: record.at, showsLastMessage: false) }
        return .announce(
            Announcement(
                event: TypedEvent(type: type, at: record.at, by: record.by, channel: channel), redacted: nil,
                hidesBefore: 0, positions: record.positions))
    }
}
