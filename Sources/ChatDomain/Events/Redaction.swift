import ChatModel

extension TypedEvent {
    /// The event as it is recovered once a message was deleted: the same, and the message a tombstone. A reply keeps its
    /// own text, and quotes the message as one that is not there any more (`MS8`).
    package func redacting(_ id: MessageID, deletedAt: Int64) -> TypedEvent {
        var event = self
        if message?.id == id { event.message = message?.tombstone(deletedAt: deletedAt) }
        if event.message?.parent?.id == id { event.message?.parent = MessageParent(id: id, state: .notFound) }
        return event
    }
}

extension Message {
    /// What is left of a deleted message: who wrote it and where it stood.
    package func tombstone(deletedAt: Int64) -> Message {
        Message(
            id: id, channelID: channelID, kind: kind, text: nil, user: user, createdAt: createdAt,
            deletedAt: deletedAt, parentMessageID: parentMessageID, replyToChannel: replyToChannel, offset: offset)
    }
}
