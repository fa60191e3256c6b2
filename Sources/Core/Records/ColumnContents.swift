import ChatDomain
import ChatModel
internal import FoundationEssentials

// Converts a channel's messages to and from their columnar record.

extension ProtoMessageParts {
    init(_ id: ChannelID, _ columns: MessageColumns) {
        self.init()
        channel = id.rawValue
        idHighs = columns.ids.map(\.high)
        idLows = columns.ids.map(\.low)
        offsetSteps = steps(columns.offsets)
        timeSteps = steps(columns.times)
        names = columns.names.map(\.rawValue)
        senders = columns.senders
        set(texts: columns.texts.isEmpty ? Array(repeating: "", count: columns.count) : columns.texts)
        set(clientIDs: columns.clientIDs)
        clientIDHashes = columns.clientIDHashes.map { $0.map { UInt64($0) + 1 } ?? 0 }
        kinds = columns.kinds.map(ProtoKind.init)
        details = columns.details.map { ProtoMessageDetails($0.value, UInt32($0.index)) }
        replies = columns.parents.map { UInt32($0.index) }
        parentHighs = columns.parents.map(\.value.high)
        parentLows = columns.parents.map(\.value.low)
    }

    func columns() throws(RecordError) -> MessageColumns {
        let count = idHighs.count
        guard idLows.count == count, offsetSteps.count == count, timeSteps.count == count, textSizes.count == count,
            senders.count == count, [0, count].contains(clientIDSizes.count), [0, count].contains(parents.count),
            [0, count].contains(kinds.count), [0, count].contains(clientIDHashes.count)
        else { throw .invalid(field: "messages") }
        var columns = MessageColumns()
        columns.ids = zip(idHighs, idLows).map { MessageID(high: $0, low: $1) }
        columns.offsets = sums(offsetSteps)
        columns.times = sums(timeSteps)
        columns.names = try users(names, "names")
        guard senders.allSatisfy({ $0 <= names.count }) else { throw .invalid(field: "senders") }
        columns.senders = senders
        columns.kinds = MessageColumns.column(try decodedKinds(), unless: .text)
        columns.texts = try decodedTexts()
        columns.clientIDs = try decodedClientIDs()
        columns.clientIDHashes = try decodedHashes(columns.clientIDs)
        columns.parentPlaces = try places()
        columns.details = try decodedDetails(count)
        columns.parents = try decodedParents(columns.details)
        return columns
    }

    private func decodedKinds() throws(RecordError) -> [MessageKind] {
        try decodeAll(kinds) { kind throws(RecordError) in try kind.value("kinds") }
    }

    mutating func set(texts strings: [String]) {
        for text in strings { texts += text.utf8 }
        textSizes = strings.map { UInt32(clamping: $0.utf8.count) }
    }

    mutating func set(clientIDs ids: [String?]) {
        for case let id? in ids { clientIds += id.utf8 }
        clientIDSizes = ids.map { $0.map { UInt32(clamping: $0.utf8.count) + 1 } ?? 0 }
    }

    /// - Returns: The texts; none if all are empty.
    func decodedTexts() throws(RecordError) -> [String] {
        var texts = StringReader(bytes: Array(texts), field: "texts")
        if texts.isAtEnd, textSizes.allSatisfy({ $0 == 0 }) { return [] }
        let strings = try decodeAll(textSizes) { size throws(RecordError) in try texts.next(size) }
        guard texts.isAtEnd else { throw .invalid(field: "texts") }
        return strings
    }

    /// - Returns: The client ids; none if no message has one.
    func decodedClientIDs() throws(RecordError) -> [String?] {
        var ids = StringReader(bytes: Array(clientIds), field: "client_ids")
        let strings: [String?] = try decodeAll(clientIDSizes) { size throws(RecordError) in
            size == 0 ? nil : try ids.next(size - 1)
        }
        guard ids.isAtEnd else { throw .invalid(field: "client_ids") }
        return MessageColumns.column(strings, unless: nil)
    }

    func decodedDetails(_ count: Int) throws(RecordError) -> [MessageColumns.Item<MessagePart.Details>] {
        try items(details, of: count, index: \.index) { details throws(RecordError) in try MessagePart.Details(details)
        }
    }

    private func decodedHashes(_ clientIDs: [String?]) throws(RecordError) -> [UInt32?] {
        var hashes: [UInt32?] = []
        hashes.reserveCapacity(clientIDHashes.count)
        for (index, hash) in clientIDHashes.enumerated() {
            let value = hash == 0 ? nil : UInt32(exactly: hash - 1)
            guard hash == 0 || value != nil && (clientIDs.isEmpty || clientIDs[index] == nil) else {
                throw .invalid(field: "client_id_hashes")
            }
            hashes.append(value)
        }
        return MessageColumns.column(hashes, unless: nil)
    }

    private func places() throws(RecordError) -> [Int?] {
        let places: [Int?] = try decodeAll(parents) { place throws(RecordError) in
            if place == 0 { return nil }
            guard let place = Int(exactly: place - 1) else { throw .invalid(field: "parents") }
            return place
        }
        return MessageColumns.column(places, unless: nil)
    }

    /// - Parameter details: The details, which had the ids of missing parents before version 5.
    private func decodedParents(
        _ details: [MessageColumns.Item<MessagePart.Details>]
    ) throws(RecordError) -> [MessageColumns.Item<MessageID>] {
        guard parentHighs.count == replies.count, parentLows.count == replies.count else {
            throw .invalid(field: "replies")
        }
        let ids = zip(parentHighs, parentLows).map { MessageID(high: $0, low: $1) }
        let own = try items(Array(zip(replies, ids)), of: idHighs.count, index: \.0) { $0.1 }
        let missing = try items(self.details.filter(\.hasMissingParent), of: idHighs.count, index: \.index) {
            $0.missingParent.message
        }
        guard own.isEmpty || missing.isEmpty else { throw .invalid(field: "missing_parent") }
        return own + missing
    }

    /// Returns values for some of the messages.
    ///
    /// - Throws: If the indices do not ascend, or are not those of messages.
    private func items<Source, Value>(
        _ sources: [Source], of count: Int, index: (Source) -> UInt32, _ value: (Source) throws(RecordError) -> Value
    ) throws(RecordError) -> [MessageColumns.Item<Value>] {
        var items: [MessageColumns.Item<Value>] = []
        items.reserveCapacity(sources.count)
        for source in sources {
            let index = Int(index(source))
            guard index > items.last?.index ?? -1, index < count else { throw .invalid(field: "messages") }
            items.append(MessageColumns.Item(index, try value(source)))
        }
        return items
    }
}

/// A reader for concatenated strings.
struct StringReader {
    let bytes: [UInt8]
    let field: String
    private var start = 0

    init(bytes: [UInt8], field: String) {
        self.bytes = bytes
        self.field = field
    }

    var isAtEnd: Bool { start == bytes.count }

    mutating func next(_ size: UInt32) throws(RecordError) -> String {
        guard Int(size) <= bytes.count - start else { throw .invalid(field: field) }
        defer { start += Int(size) }
        return String(decoding: bytes[start..<start + Int(size)], as: UTF8.self)
    }
}

extension ProtoMessageDetails {
    init(_ details: MessagePart.Details, _ index: UInt32) {
        self.init()
        self.index = index
        replyToChannel = details.replyToChannel
        if let type = details.customType { customType = type }
        if let text = details.data { data = text }
        if let value = details.mentions { mentions = ProtoMentions(value) }
        if let value = details.extras { extras = ProtoExtras(value) }
        if let time = details.updatedAt { updatedAt = time }
        if let time = details.deletedAt { deletedAt = time }
        if let hash = details.sentContent { sentContent = hash }
        expiresAt = details.expiresAt ?? 0
        if let value = details.reactions { reactions = ProtoReactions(value) }
        hasUploads_p = details.hasUploads
    }
}

extension MessagePart.Details {
    init(_ proto: ProtoMessageDetails) throws(RecordError) {
        self.init()
        replyToChannel = proto.replyToChannel
        if proto.hasCustomType { customType = proto.customType }
        if proto.hasData { data = proto.data }
        if proto.hasMentions { mentions = try Mentions(proto.mentions) }
        if proto.hasExtras { extras = try MessageExtras(proto.extras) }
        if proto.hasUpdatedAt { updatedAt = proto.updatedAt }
        if proto.hasDeletedAt { deletedAt = proto.deletedAt }
        if proto.hasSentContent { sentContent = proto.sentContent }
        if proto.expiresAt != 0 { expiresAt = proto.expiresAt }
        if proto.hasReactions { reactions = try ReactionsPart(proto.reactions) }
        hasUploads = proto.hasUploads_p
    }
}

extension ProtoReactions {
    init(_ part: ReactionsPart) {
        self.init()
        updatedAt = part.updatedAt
        keys = part.keys.map { key in
            .with {
                $0.key = key.key
                $0.updatedAt = key.updatedAt
                $0.users = key.reactors.map(\.user.rawValue)
                $0.offsets = key.reactors.map(\.offset)
            }
        }
    }
}

extension ReactionsPart {
    init(_ proto: ProtoReactions) throws(RecordError) {
        self.init(updatedAt: proto.updatedAt, keys: try decodeAll(proto.keys, Key.init))
    }
}

extension ReactionsPart.Key {
    init(_ proto: ProtoReactionKey) throws(RecordError) {
        guard proto.users.count == proto.offsets.count else { throw .invalid(field: "offsets") }
        self.init(
            key: proto.key, updatedAt: proto.updatedAt,
            reactors: zip(try users(proto.users, "users"), proto.offsets).map { .init(user: $0, offset: $1) })
    }
}
