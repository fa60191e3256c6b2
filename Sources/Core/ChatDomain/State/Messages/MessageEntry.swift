import ChatModel

/// What every message needs for order, counts and permissions, in 48 bytes without references.
///
/// Content is in a `BodySlot`, and what few messages have in `MessageFacts`.
struct MessageEntry {
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let appearsInChannel = Flags(rawValue: 1 << 0)
        static let isDeleted = Flags(rawValue: 1 << 1)
        static let hasClientID = Flags(rawValue: 1 << 2)
        /// Whether the list has `MessageFacts` for the message.
        static let hasFacts = Flags(rawValue: 1 << 3)
        /// Whether there are uploads among the files of the message.
        static let hasUploads = Flags(rawValue: 1 << 4)
    }

    let id: MessageID
    let offset: UInt64
    /// When the message was sent, in milliseconds since 1970.
    let createdAt: Int64
    /// The number of the sender in the channel's `NumberedUsers`.
    var sender: UInt32
    /// The place of the parent plus 1; 0 for a message that is no reply, or whose parent is in its facts.
    let parent: UInt32
    let kind: MessageKind
    var flags: Flags

    init(_ message: StoredMessage, sender: UInt32, parent: Int?) {
        id = message.id
        offset = message.offset
        createdAt = message.createdAt
        self.sender = sender
        self.parent = parent.flatMap { UInt32(exactly: $0 + 1) } ?? 0
        kind = message.kind
        flags = []
        if message.appearsInChannel { flags.insert(.appearsInChannel) }
        if message.isDeleted { flags.insert(.isDeleted) }
        if message.hasClientID { flags.insert(.hasClientID) }
        if message.hasUploads { flags.insert(.hasUploads) }
    }

    /// The place of the parent, if it is among the channel's messages.
    var parentPlace: Int? { parent == 0 ? nil : Int(parent) - 1 }
}

/// What few messages have, beside their bodies. Decisions, counts and lists need it.
struct MessageFacts: Equatable, Sendable {
    var customType: String?
    var mentions: Mentions?
    var updatedAt: Int64?
    /// When the message was deleted, in milliseconds since 1970.
    var deletedAt: Int64?
    /// When the message is removed, in milliseconds since 1970 (`MT9`).
    var expiresAt: Int64?
    /// The parent, if it is not among the channel's messages.
    var missingParent: MessageID?

    static let none = MessageFacts()

    /// Removes what a deleted message does not keep.
    mutating func delete(at: Int64) {
        customType = nil
        mentions = nil
        deletedAt = at
    }
}
