import ChatModel

/// A message as the state stores it.
package struct StoredMessage: Equatable, Sendable {
    package let id: MessageID
    package let offset: UInt64
    package let createdAt: Int64
    package let kind: MessageKind
    package private(set) var text: String
    package let sender: UserID?
    package let clientID: String?
    package let parent: MessageID?
    package let replyToChannel: Bool
    package private(set) var customType: String?
    package private(set) var data: String?
    package private(set) var mentions: Mentions?
    private var box: ExtrasBox?
    package private(set) var updatedAt: Int64?
    /// When the message was deleted, in milliseconds since 1970. A tombstone keeps sender and position, but no content
    /// (`MS8`).
    package private(set) var deletedAt: Int64?

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
        mentions = sent.mentions
        box = .box(sent.extras)
    }

    init(_ part: MessagePart, parent: MessageID?) {
        id = part.id
        offset = part.offset
        createdAt = part.createdAt
        kind = part.kind
        text = part.text
        sender = part.sender
        clientID = part.clientID
        self.parent = parent
        let details = part.details
        replyToChannel = details?.replyToChannel ?? false
        customType = details?.customType
        data = details?.data
        mentions = details?.mentions
        box = .box(details?.extras)
        updatedAt = details?.updatedAt
        deletedAt = details?.deletedAt
    }

    /// Content that few messages have; `nil` for plain messages.
    var extras: MessageExtras? { box?.extras }

    /// The ids of the uploads among the files.
    var uploads: [FileID] { (extras?.files ?? []).compactMap(\.id) }

    var isDeleted: Bool { deletedAt != nil }

    /// Whether the message appears in the channel itself, and not only in a thread.
    var appearsInChannel: Bool { parent == nil || replyToChannel }

    /// A hash of the text, custom type, data, mentions and extras.
    var contentHash: UInt64 { Self.contentHash(text, customType, data, mentions, extras) }

    static func contentHash(
        _ text: String, _ customType: String?, _ data: String?, _ mentions: Mentions?, _ extras: MessageExtras?
    ) -> UInt64 {
        var hash = StableHash()
        hash.combine(text)
        hash.combine(customType)
        hash.combine(data)
        mentions?.combine(into: &hash)
        extras?.combine(into: &hash)
        return hash.value
    }

    mutating func update(_ updated: Event.MessageUpdated, at: Int64) {
        text = updated.text
        customType = updated.customType
        data = updated.data
        mentions = updated.mentions
        box = .box(updated.extras)
        updatedAt = at
    }

    mutating func delete(at: Int64) {
        text = ""
        customType = nil
        data = nil
        mentions = nil
        box = nil
        deletedAt = at
    }
}
