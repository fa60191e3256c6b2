import ChatModel

/// The events one user received, in order within a room and without order across rooms.
struct Heard: Equatable {
    var inChannels: [ChannelID: [SeenEvent]] = [:]
    var inInbox: [SeenEvent] = []

    mutating func hear(_ event: TypedEvent, in room: Room) {
        guard let seen = SeenEvent(event) else { return }
        switch room {
        // For other users a read marker is a transient receipt.
        case .channel(let id): if event.type != .readChanged { inChannels[id, default: []].append(seen) }
        case .inbox: inInbox.append(seen)
        }
    }
}

/// An event about messages, users or channels, as one user receives it. For hidden content it has only ids (`CH7`).
enum SeenEvent: Equatable {
    case said(SeenMessage, in: ChannelID, thread: SeenThread?)
    case updated(SeenMessage)
    case updatedOutOfSight(MessageID)
    case deleted(MessageID, thread: SeenThread?)
    case thread(SeenThread)
    case reacted(Outcome)
    /// `channel.*`
    case channel(EventType, ChannelID)
    /// `member.*`, `operator.*`, and sanctions in the app.
    case person(EventType, in: ChannelID?, UserID)
    case blocked(UserID, Bool)
    case invitation(EventType, in: ChannelID?, by: UserID?, of: UserID)
    case read(Outcome, in: ChannelID, thread: MessageID?)
    case unread(in: ChannelID, thread: MessageID?, from: MessageID, count: Int, totals: Outcome)

    /// - Returns: `nil` for events that the model does not predict.
    init?(_ event: TypedEvent) {
        switch event.type {
        case .messageNew, .threadReply:
            guard let message = event.message else { return nil }
            self = .said(SeenMessage(message), in: message.channelID, thread: event.thread.map { SeenThread($0) })
        case .messageUpdated:
            if let message = event.message {
                self = .updated(SeenMessage(message))
            } else {
                guard let id = event.messageID else { return nil }
                self = .updatedOutOfSight(id)
            }
        case .messageDeleted:
            guard let id = event.messageID else { return nil }
            self = .deleted(id, thread: event.thread.map { SeenThread($0) })
        case .threadUpdated:
            guard let thread = event.thread else { return nil }
            self = .thread(SeenThread(thread))
        case .reactionUpdated:
            guard let reaction = event.reaction else { return nil }
            self = .reacted(Outcome(reaction))
        case .readChanged:
            guard let read = event.read else { return nil }
            self = .read(Outcome(read), in: read.channelID, thread: read.parentMessageID)
        case .unreadChanged:
            guard let unread = event.unread else { return nil }
            self = .unread(
                in: unread.channelID, thread: unread.parentMessageID, from: unread.markedFrom,
                count: unread.unreadCount, totals: Outcome(unread.totals))
        case .channelCreated, .channelUpdated, .channelDeleted, .channelFrozen, .channelUnfrozen, .channelHidden,
            .channelUnhidden, .channelHistoryReset:
            guard let channel = event.channel else { return nil }
            self = .channel(event.type, channel.id)
        case .memberJoined, .memberLeft, .memberBanned, .memberUnbanned, .memberMuted, .memberUnmuted, .operatorAdded,
            .operatorRemoved:
            guard let member = event.member else { return nil }
            self = .person(event.type, in: event.channelID, member.user.id)
        case .blockChanged:
            guard let block = event.block else { return nil }
            self = .blocked(block.user.id, block.isBlocked)
        case .userBanned, .userMuted:
            guard let sanction = event.sanction else { return nil }
            self = .person(event.type, in: nil, sanction.user.id)
        case .userUnbanned, .userUnmuted:
            guard let user = event.user else { return nil }
            self = .person(event.type, in: nil, user.id)
        case .invitationReceived, .invitationAccepted, .invitationDeclined, .invitationCancelled:
            guard let invitation = event.invitation else { return nil }
            self = .invitation(
                event.type, in: event.channelID, by: invitation.inviter?.id, of: invitation.invitee.id)
        default: return nil
        }
    }
}
