import ChatModel

/// What every message needs for order, counts and permissions, in 40 bytes without references.
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
    /// How long after the time in its id the message was sent, in milliseconds; `inFacts` if its facts have the time.
    private let delay: Int32
    /// The number of the sender in the channel's `NumberedUsers`.
    var sender: UInt32
    /// The place of the parent plus 1; 0 for a message that is no reply, or whose parent is in its facts.
    let parent: UInt32
    let kind: MessageKind
    var flags: Flags

    init(_ message: StoredMessage, sender: UInt32, parent: Int?) {
        self.init(
            id: message.id, offset: message.offset, createdAt: message.createdAt, sender: sender, parent: parent,
            kind: message.kind)
        if message.appearsInChannel { flags.insert(.appearsInChannel) }
        if message.isDeleted { flags.insert(.isDeleted) }
        if message.hasClientID { flags.insert(.hasClientID) }
        if message.hasUploads { flags.insert(.hasUploads) }
    }

    init(id: MessageID, offset: UInt64, createdAt: Int64, sender: UInt32, parent: Int?, kind: MessageKind) {
        self.id = id
        self.offset = offset
        delay = Self.delay(of: id, createdAt) ?? Self.inFacts
        self.sender = sender
        self.parent = parent.flatMap { UInt32(exactly: $0 + 1) } ?? 0
        self.kind = kind
        flags = []
    }

    private init() {
        id = MessageID(high: 0, low: 0)
        (offset, delay, sender, parent) = (0, 0, 0, 0)
        kind = .text
        flags = []
    }

    /// Stands for an entry that could not be read.
    static let missing = MessageEntry()

    private static let inFacts = Int32.max

    private static func delay(of id: MessageID, _ createdAt: Int64) -> Int32? {
        let (delay, overflows) = createdAt.subtractingReportingOverflow(id.milliseconds)
        return overflows ? nil : Int32(exactly: delay).flatMap { $0 == inFacts ? nil : $0 }
    }

    /// When the message was sent, in milliseconds since 1970; `nil` if its facts have the time.
    var createdAt: Int64? { delay == Self.inFacts ? nil : id.milliseconds + Int64(delay) }

    /// Whether the message appears in the channel, and its lists and counts.
    var isShown: Bool { flags.contains(.appearsInChannel) && !flags.contains(.isDeleted) }

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
    /// When the message was sent, in milliseconds since 1970, if that is far from the time in its id.
    var createdAt: Int64?

    static let none = MessageFacts()

    /// Returns the facts to store with a message; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - parent: The parent, unless the entry has its place.
    ///   - createdAt: The time of the message.
    func stored(with entry: MessageEntry, parent: MessageID?, createdAt: Int64) -> MessageFacts? {
        var facts = self
        if entry.parentPlace == nil { facts.missingParent = parent }
        if entry.createdAt == nil { facts.createdAt = createdAt }
        return facts == .none ? nil : facts
    }

    /// Removes what a deleted message does not keep.
    mutating func delete(at: Int64) {
        customType = nil
        mentions = nil
        deletedAt = at
    }
}

// From the details of a message in a piece of the state.
extension MessageEntry.Flags {
    init(_ details: MessagePart.Details?, isReply: Bool) {
        self = []
        if !isReply || details?.replyToChannel ?? false { insert(.appearsInChannel) }
        guard let details else { return }
        if details.deletedAt != nil { insert(.isDeleted) }
        if details.hasUploads || details.extras?.hasUploads ?? false { insert(.hasUploads) }
    }
}

extension MessageFacts {
    init(_ details: MessagePart.Details?) {
        self.init(
            customType: details?.customType, mentions: details?.mentions, updatedAt: details?.updatedAt,
            deletedAt: details?.deletedAt, expiresAt: details?.expiresAt)
    }
}
