import ChatModel

/// A message of the state. Cheap to copy: the content is decoded on access.
package struct StoredMessage: Sendable {
    package let id: MessageID
    package let offset: UInt64
    package let createdAt: Int64
    package let kind: MessageKind
    package let sender: UserID?
    package let parent: MessageID?
    /// Whether the message appears in the channel itself, and not only in a thread.
    let appearsInChannel: Bool
    private(set) var isDeleted: Bool
    let hasClientID: Bool
    private(set) var hasUploads: Bool
    private var facts: MessageFacts
    private var content: Content

    enum Content: Sendable {
        case own(MessageBody)
        case stored(BodyBlock, index: Int)
        case onDisk(BodyOnDisk)
    }

    init(_ sent: Event.MessageSent, offset: UInt64, at: Int64) {
        id = sent.id
        self.offset = offset
        createdAt = at
        kind = sent.kind
        sender = sent.sender
        parent = sent.parent
        appearsInChannel = sent.parent == nil || sent.replyToChannel
        isDeleted = false
        hasClientID = sent.clientID != nil
        hasUploads = sent.extras?.hasUploads ?? false
        facts = MessageFacts(customType: sent.customType, mentions: sent.mentions, expiresAt: sent.expiresAt)
        content = .own(
            MessageBody(text: sent.text, clientID: sent.clientID, data: sent.data, extras: sent.extras?.nilIfEmpty))
    }

    /// Creates the message of a record, as it was sent.
    init(_ sent: Event.MessageSent, of record: Record) {
        self.init(sent, offset: record.positions.isEmpty ? 0 : record.positions[0].offset, at: record.at)
    }

    init(_ part: MessagePart, parent: MessageID?) {
        id = part.id
        offset = part.offset
        createdAt = part.createdAt
        kind = part.kind
        sender = part.sender
        self.parent = parent
        let flags = MessageEntry.Flags(part.details, isReply: parent != nil)
        appearsInChannel = flags.contains(.appearsInChannel)
        isDeleted = flags.contains(.isDeleted)
        hasClientID = part.clientID != nil || part.clientIDHash != nil
        hasUploads = flags.contains(.hasUploads)
        facts = MessageFacts(part.details)
        content = .own(
            MessageBody(
                text: part.text, clientID: part.clientID, data: part.details?.data, extras: part.details?.extras))
    }

    /// Creates a message of a list.
    init(
        _ entry: MessageEntry, sender: UserID?, parent: MessageID?, _ facts: MessageFacts, _ content: Content
    ) {
        id = entry.id
        offset = entry.offset
        createdAt = entry.createdAt ?? facts.createdAt ?? 0
        kind = entry.kind
        self.sender = sender
        self.parent = parent
        appearsInChannel = entry.flags.contains(.appearsInChannel)
        isDeleted = entry.flags.contains(.isDeleted)
        hasClientID = entry.flags.contains(.hasClientID)
        hasUploads = entry.flags.contains(.hasUploads)
        self.facts = facts
        self.content = content
    }

    package var customType: String? { facts.customType }
    package var mentions: Mentions? { facts.mentions }
    package var updatedAt: Int64? { facts.updatedAt }
    /// When the message was deleted, in milliseconds since 1970. A tombstone keeps sender and position, but no content
    /// (`MS8`).
    package var deletedAt: Int64? { facts.deletedAt }
    /// When the message is removed, in milliseconds since 1970; `nil` if it stays (`MT9`).
    package var expiresAt: Int64? { facts.expiresAt }
    package var replyToChannel: Bool { parent != nil && appearsInChannel }

    package var text: String {
        switch content {
        case .own(let body): body.text
        case .stored(let block, let index): block.text(index)
        case .onDisk(let body): body.text
        }
    }

    package var clientID: String? {
        guard hasClientID else { return nil }
        return switch content {
        case .own(let body): body.clientID
        case .stored(let block, let index): block.clientID(index)
        case .onDisk(let body): body.clientID
        }
    }

    package var data: String? {
        switch content {
        case .own(let body): body.data
        case .stored(let block, let index): block.data(index)
        case .onDisk(let body): body.data
        }
    }

    /// Content that few messages have; `nil` for plain messages.
    var extras: MessageExtras? {
        switch content {
        case .own(let body): body.extras
        case .stored(let block, let index): block.extras(index)
        case .onDisk(let body): body.extras
        }
    }

    /// Removes the content, as the list does with its own.
    mutating func delete(at: Int64) {
        isDeleted = true
        hasUploads = false
        content = .own(MessageBody(clientID: clientID))
        facts.delete(at: at)
    }

    /// The body without the client id.
    var bodyContent: MessageBody { MessageBody(text: text, data: data, extras: extras) }
    var body: MessageBody { MessageBody(text: text, clientID: clientID, data: data, extras: extras) }

    /// Returns the facts to store with the entry of the message; `nil` if there are none.
    func facts(with entry: MessageEntry) -> MessageFacts? {
        facts.stored(with: entry, parent: parent, createdAt: createdAt)
    }

    /// The ids of the uploads among the files.
    var uploads: [FileID] { hasUploads ? (extras?.files ?? []).compactMap(\.id) : [] }

    /// Reads the body, so that an attempt notes that it is missing.
    func needBody() { if case .onDisk(let body) = content { _ = body.clientID } }

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
}
