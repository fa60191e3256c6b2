import ChatModel

/// A message as it is kept.
package struct StoredMessage: Equatable, Sendable {
    package let id: MessageID
    package let offset: UInt64
    package let createdAt: Int64
    package let kind: MessageKind
    package let text: String
    package let sender: UserID?
    package let clientID: String?
    package let parent: MessageID?
    package let replyToChannel: Bool
    package let customType: String?
    package let data: String?

    init(_ sent: Event.MessageSent, offset: UInt64, at: Int64) {
        id = sent.id
        self.offset = offset
        createdAt = at
        kind = sent.kind
        text = sent.text
        sender = sent.sender
        clientID = sent.clientID
        parent = sent.parent
        replyToChannel = sent.replyToChannel
        customType = sent.customType
        data = sent.data
    }
}
