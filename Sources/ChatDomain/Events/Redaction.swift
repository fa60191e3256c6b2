import ChatModel

extension TypedEvent {
    /// The event as it is recovered after a message was deleted: unchanged, except that the message is a tombstone. A
    /// reply keeps its own text, and quotes the message as deleted (`MS8`).
    package func redacting(_ id: MessageID, deletedAt: Int64) -> TypedEvent {
        var event = self
        if message?.id == id { event.message = message?.tombstone(deletedAt: deletedAt) }
        if event.message?.parent?.id == id { event.message?.parent = MessageParent(id: id, state: .notFound) }
        return event
    }
}

extension Message {
    /// What remains of a deleted message: its sender and its position.
    package func tombstone(deletedAt: Int64) -> Message {
        Message(
            id: id, channelID: channelID, kind: kind, text: nil, user: user, createdAt: createdAt,
            deletedAt: deletedAt, parentMessageID: parentMessageID, replyToChannel: replyToChannel, offset: offset)
    }
}
