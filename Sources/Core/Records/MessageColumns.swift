import ChatDomain
import ChatModel
internal import FoundationEssentials

// Converts a channel's messages to and from their columnar record.

extension ProtoMessageParts {
    init(_ id: ChannelID, _ parts: [MessagePart]) {
        self.init()
        channel = id.rawValue
        idHighs = parts.map(\.id.high)
        idLows = parts.map(\.id.low)
        var (offset, time) = (UInt64(0), Int64(0))
        var senderIndices: [UserID: UInt32] = [:]
        for (index, part) in parts.enumerated() {
            offsetSteps.append(part.offset &- offset)
            timeSteps.append(part.createdAt &- time)
            (offset, time) = (part.offset, part.createdAt)
            senders.append(part.sender.map { internSender($0, &senderIndices) } ?? 0)
            if let details = part.details { self.details.append(ProtoMessageDetails(details, UInt32(index))) }
            if let parent = part.parent {
                replies.append(UInt32(index))
                parentHighs.append(parent.high)
                parentLows.append(parent.low)
            }
        }
        texts = Data(parts.flatMap(\.text.utf8))
        textSizes = parts.map { UInt32($0.text.utf8.count) }
        if parts.contains(where: { $0.clientID != nil }) {
            clientIds = Data(parts.flatMap { Array(($0.clientID ?? "").utf8) })
            clientIDSizes = parts.map { $0.clientID.map { UInt32($0.utf8.count) + 1 } ?? 0 }
        }
        if parts.contains(where: { $0.clientIDHash != nil }) {
            clientIDHashes = parts.map { $0.clientIDHash.map { UInt64($0) + 1 } ?? 0 }
        }
        if parts.contains(where: { $0.kind != .text }) { kinds = parts.map { ProtoKind($0.kind) } }
    }

    /// - Returns: The 1-based index of the user in `names`. A new user is appended.
    private mutating func internSender(_ user: UserID, _ indices: inout [UserID: UInt32]) -> UInt32 {
        if let index = indices[user] { return index }
        names.append(user.rawValue)
        indices[user] = UInt32(names.count)
        return UInt32(names.count)
    }

    func messages() throws(RecordError) -> [MessagePart] {
        let count = idHighs.count
        guard idLows.count == count, offsetSteps.count == count, timeSteps.count == count, textSizes.count == count,
            senders.count == count, [0, count].contains(clientIDSizes.count), [0, count].contains(parents.count),
            [0, count].contains(kinds.count), [0, count].contains(clientIDHashes.count),
            parentHighs.count == replies.count, parentLows.count == replies.count
        else { throw .invalid(field: "messages") }
        let senders = try Senders(names: names)
        var texts = StringReader(bytes: Array(texts), field: "texts")
        var clientIDs = StringReader(bytes: Array(clientIds), field: "client_ids")
        var details = details[...]
        var reply = 0
        var (offset, time) = (UInt64(0), Int64(0))
        var parts: [MessagePart] = []
        parts.reserveCapacity(count)
        for index in 0..<count {
            offset &+= offsetSteps[index]
            time &+= timeSteps[index]
            var clientID: String?
            if !clientIDSizes.isEmpty, clientIDSizes[index] > 0 {
                clientID = try clientIDs.next(clientIDSizes[index] - 1)
            }
            var parent: MessageID?
            if reply < replies.count, replies[reply] == index {
                parent = MessageID(high: parentHighs[reply], low: parentLows[reply])
                reply += 1
            }
            var partDetails: MessagePart.Details?
            if let first = details.first, first.index == index {
                partDetails = try MessagePart.Details(first)
                if first.hasMissingParent { parent = first.missingParent.message }
                details = details.dropFirst()
            }
            var part = MessagePart(
                id: MessageID(high: idHighs[index], low: idLows[index]), offset: offset, createdAt: time,
                kind: kinds.isEmpty ? .text : try kinds[index].value("kinds"), text: try texts.next(textSizes[index]),
                sender: try senders[self.senders[index]], clientID: clientID, parent: parent, details: partDetails)
            if !parents.isEmpty, parents[index] > 0 {
                guard let place = Int(exactly: parents[index] - 1) else { throw .invalid(field: "parents") }
                part.parentPlace = place
            }
            if !clientIDHashes.isEmpty, clientIDHashes[index] > 0 {
                guard let hash = UInt32(exactly: clientIDHashes[index] - 1), clientID == nil else {
                    throw .invalid(field: "client_id_hashes")
                }
                part.clientIDHash = hash
            }
            parts.append(part)
        }
        guard details.isEmpty, texts.isAtEnd, clientIDs.isAtEnd, reply == replies.count else {
            throw .invalid(field: "messages")
        }
        return parts
    }
}

/// The distinct senders of the messages.
private struct Senders {
    private let ids: [UserID]

    init(names: [String]) throws(RecordError) { ids = try users(names, "names") }

    subscript(index: UInt32) -> UserID? {
        get throws(RecordError) {
            if index == 0 { return nil }
            guard index <= UInt32(clamping: ids.count) else { throw .invalid(field: "senders") }
            return ids[Int(index) - 1]
        }
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
