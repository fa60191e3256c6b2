import ChatModel

/// An event about messages, as one person hears it. Of what is not for their eyes it holds ids only (`CH7`).
enum SeenEvent: Equatable {
    case said(SeenMessage, in: ChannelID, thread: SeenThread?)
    case updated(SeenMessage)
    case updatedOutOfSight(MessageID)
    case deleted(MessageID, thread: SeenThread?)
    case thread(SeenThread)
    case reacted(Outcome)
    case read(Outcome, in: ChannelID, thread: MessageID?)
    case unread(in: ChannelID, thread: MessageID?, from: MessageID, count: Int, totals: Outcome)

    /// - Returns: `nil` for what the model does not predict.
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
        default: return nil
        }
    }
}
