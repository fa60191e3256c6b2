import ChatModel

extension ChatState {
    /// Announces a changed message in the same form to all readers: without the quote, because not every reader can see
    /// the parent.
    func announceUpdate(_ record: Record, _ id: MessageID, in channelID: ChannelID) -> [Effect] {
        guard let channel = channels[channelID], let message = channel.message(id) else { return [] }
        return [
            .announce(
                Announcement(
                    event: TypedEvent(
                        type: .messageUpdated, at: record.at, by: record.by,
                        message: view(of: message, in: channel, visibleFrom: 0, quotesParent: false)),
                    redacted: TypedEvent(
                        type: .messageUpdated, at: record.at, by: record.by, channelID: channelID, messageID: id,
                        parentMessageID: message.parent),
                    hidesBefore: message.offset, positions: record.positions))
        ]
    }

    /// Announces a deletion with ids only, and with the updated thread for users who see its parent.
    func announceDeletion(
        _ record: Record, _ id: MessageID, in channelID: ChannelID, _ settings: ChatSettings
    ) -> [Effect] {
        guard let channel = channels[channelID], let message = channel.message(id) else { return [] }
        // The parent of a reply may have been removed, and the thread with it.
        let parent = message.parent.flatMap(channel.message)
        func event(isParentVisible: Bool) -> TypedEvent {
            TypedEvent(
                type: .messageDeleted, at: record.at, by: record.by, channelID: channelID, messageID: id,
                parentMessageID: message.parent,
                thread: parent.map { thread(of: $0.id, in: channel, isVisible: isParentVisible, settings) })
        }
        return [
            .redacted(.channel(channelID), id, at: record.at),
            .announce(
                Announcement(
                    event: event(isParentVisible: true), redacted: parent == nil ? nil : event(isParentVisible: false),
                    hidesBefore: parent?.offset ?? 0, positions: record.positions)),
        ]
    }

    func announceReaction(
        _ record: Record, _ operation: ReactionChange.Operation, _ key: String, by user: UserID, on id: MessageID,
        in channelID: ChannelID
    ) -> [Effect] {
        guard let channel = channels[channelID], let message = channel.message(id) else { return [] }
        func event(_ reaction: ReactionChange) -> TypedEvent {
            TypedEvent(
                type: .reactionUpdated, at: record.at, by: record.by, channelID: channelID, reaction: reaction)
        }
        return [
            .announce(
                Announcement(
                    event: event(change(operation, key, by: user, on: id, in: channel)),
                    redacted: event(ReactionChange(messageID: id)), hidesBefore: message.offset,
                    positions: record.positions))
        ]
    }
}
