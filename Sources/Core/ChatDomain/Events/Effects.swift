import ChatModel

/// A consequence of a record for listeners, in the order in which they must receive it.
///
/// Indirect, because it is passed through many functions on its way to the loops, and some cases are large.
package indirect enum Effect: Sendable {
    /// The user's open connections enter the room before the event is delivered there.
    case gained(UserID, RoomStanding)
    /// Nothing of the room reaches the user's connections after this.
    case lost(UserID, Room)
    /// The same for all guests.
    case guestsLost(Room)
    /// From here on, the user's open connections see messages of the room only from this offset.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case announce(Announcement)
    /// Delivered to the rooms' current listeners; has no offset and is not kept.
    case transient([Room], TypedEvent)
    /// The user's connections are closed, and nothing reaches them after this (`US2`).
    case disconnected(UserID)
    /// The same for connections whose token was issued before this second.
    case tokensRevoked(UserID, before: Int64)
    /// Delivered to the room's current listeners, without an offset; not recoverable. Never dropped for slow readers.
    case deliver(TypedEvent, to: Room)
    /// The room has ended: listeners of a channel lose it, and its past events are no longer delivered.
    case ended(Room)
    /// Not delivered: memory to be freed on another queue.
    case discarded(DiscardedObject)
    case webhooksChanged([WebhookTarget])
    /// A message was deleted: events kept for recovery lose its content. Comes before the deletion is announced.
    case redacted(Room, MessageID, at: Int64)
    /// Files that nothing refers to any more; they are deleted from the folder.
    case filesRemoved([FileID])
    /// A message that may have to be pushed; its recipients are searched for in several turns.
    case pushing(PushSearch)
    case push(PushNotice)
    /// The search of an earlier `pushing` is complete.
    case pushed
}

/// One event in the form that is sent to listeners. A class, because the event takes 4 KiB.
package final class Announcement: Sendable {
    /// Boxes a form that most announcements lack.
    private final class EventBox: Sendable {
        let event: TypedEvent
        init(_ event: TypedEvent) { self.event = event }
    }

    package let event: TypedEvent
    private let redactedBox: EventBox?
    /// The offset of the older message that the event is about; members whose visible history starts later get the
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

    /// Bytes of JSON, both forms together.
    package var wireSize: Int { event.wireSize + (redacted?.wireSize ?? 0) }
}

/// A user's position in a room.
package struct RoomStanding: Sendable, Equatable {
    package let room: Room
    package let offset: UInt64
    package let epoch: String
    /// Earlier positions lie in an absence or before the membership; nothing is recovered from there.
    package let since: UInt64
    /// The first offset whose message the user may see.
    package let visibleFrom: UInt64
}

extension ChatState {
    /// Call it right after `evolve(record)`: the event is built from the resulting state.
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
            .userActivated, .tokensRevoked, .guestSeen, .guestRemoved, .usersSeen, .reportCreated:
            return []
        case .settingsChanged, .webhookSet, .webhookDeleted: return []
        case .pushPreferenceChanged, .deviceRegistered, .deviceUnregistered, .channelPushChanged: return []
        case .fileRegistered, .filesForgotten: return []
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
        case .memberUnbanned(let id, let user): return [announceMember(record, .memberUnbanned, id, user)]
        case .memberMuted(let muted): return [announceMember(record, .memberMuted, muted.channel, muted.user)]
        case .memberUnmuted(let id, let user): return [announceMember(record, .memberUnmuted, id, user)]
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
        case .messageDeleted(let id, let message):
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

    /// The effects of an event that has a position in no room.
    private func effectsOutsideRooms(_ record: Record, _ settings: ChatSettings) -> [Effect] {
        switch record.event {
        case .userDeactivated(let user): [.disconnected(user)] + announceProfile(record, of: user, settings)
        case .tokensRevoked(let user, let before): [.tokensRevoked(user, before: before)]
        case .guestRemoved(let user): [.ended(.inbox(user))]
        case .userActivated(let user): announceProfile(record, of: user, settings)
        case .userUpdated(let updated): announceProfile(record, of: updated.id, settings)
        default: []
        }
    }

    /// Leaves out the metadata, which may be large; clients that show it request it.
    private func announceProfile(_ record: Record, of id: UserID, _ settings: ChatSettings) -> [Effect] {
        let rooms = smallChannels(of: id, settings)
        guard let user = users[id], !rooms.isEmpty else { return [] }
        var view = user.signature
        view.isActive = user.isActive
        return [.transient(rooms, TypedEvent(type: .userUpdated, at: record.at, by: record.by, user: view))]
    }

    /// Whether the update makes a channel private that has many guests, whose departures follow in later turns. A few
    /// guests leave with the update itself, and receive it.
    private func vacates(_ updated: Event.ChannelUpdated) -> Bool {
        guard updated.isPublic == false, let channel = channels[updated.channel] else { return false }
        return channel.members.departingCount > Self.guestsLeavingAtOnce
    }

    /// Carries the position before the event, so that the new member receives the event too.
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

    /// Announces the end before anyone loses the room.
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

    /// Leaves out the fields that may hold hundreds of kilobytes, because one command may invite hundreds of people.
    private func invitedView(of channel: ChannelState) -> Channel {
        view(of: channel, for: nil).abridged
    }

    private func announce(_ record: Record, _ event: TypedEvent) -> Effect {
        .announce(Announcement(event: event, redacted: nil, hidesBefore: 0, positions: record.positions))
    }

    private func announceMessage(
        _ record: Record, _ sent: Event.MessageSent, _ settings: ChatSettings
    ) -> [Effect] {
        guard let channel = channels[sent.channel], let message = channel.message(sent.id) else { return [] }
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
                message: view(of: message, in: channel, visibleFrom: visibleFrom),
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
    /// From here on the user's connections see the room with the same visible history as the state.
    func narrow(_ user: UserID, in id: ChannelID) -> Effect {
        .narrowed(user, .channel(id), visibleFrom: channels[id]?.members[user]?.visibleFrom ?? .max)
    }

    /// The channel as seen by the user who receives it, without its last message, because one message may unhide the
    /// channel for thousands of users at once.
    func announceToSelf(_ record: Record, _ type: EventType, _ id: ChannelID, _ user: UserID) -> Effect {
        var channel = channels[id].map { view(of: $0, for: user, at: record.at) }
        channel?.lastMessage = nil
        return .announce(
            Announcement(
                event: TypedEvent(type: type, at: record.at, by: record.by, channel: channel), redacted: nil,
                hidesBefore: 0, positions: record.positions))
    }
}
