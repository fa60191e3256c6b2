import ChatModel

/// The size limits for pieces of the state.
package struct PieceLimits: Sendable, Equatable {
    /// The maximum encoded size of a piece in bytes. A larger element gets its own piece; client limits keep each below
    /// 1 MiB.
    package var bytes = 1_048_576
    /// The maximum number of elements, such as users or messages, in a piece.
    package var count = 4_096

    /// The maximum number of runs in a piece. A starting server decodes all of a piece at once.
    package var runs = 16
    /// The number of a channel's last messages from which they are stored in a run, and not in the snapshot itself.
    package var leastRun = 64

    package init() {}

    /// The number of thread marks that can be stored with their member; more get separate pieces.
    var inlineMarks: Int { bytes / 2 / MemberPart.ThreadMark.weight }
    /// The number of reactors that can be stored with their message; more get separate pieces.
    var inlineReactors: Int { bytes / 2 / ReactionsPart.Reactor.largest }
}

/// An element of a piece that contains several.
package protocol Weighed {
    /// An upper bound for the encoded size in bytes. Tests compare it with the encoding.
    var weight: Int { get }
}

extension Sequence where Element: Weighed {
    /// Emits the elements in order, as many at a time as fit into a piece. Never holds more than one piece in memory.
    func inPieces<Failure: Error>(
        _ limits: PieceLimits, _ body: ([Element]) throws(Failure) -> Void
    ) throws(Failure) {
        var piece: [Element] = []
        var bytes = PieceWeight.envelope
        for element in self {
            let weight = element.weight
            if !piece.isEmpty, bytes + weight > limits.bytes || piece.count >= limits.count {
                try body(piece)
                piece.removeAll(keepingCapacity: true)
                bytes = PieceWeight.envelope
            }
            piece.append(element)
            bytes += weight
        }
        if !piece.isEmpty { try body(piece) }
    }
}

/// The maximum sizes of the fields of a piece. `protobuf` writes a tag of up to 2 bytes and a length of up to 5 before
/// a text or a message, and a tag and up to 10 bytes for a number.
enum PieceWeight {
    static let number = 12
    static let id = 25
    /// The bytes around the elements of a piece: its kind, and the channel and user that they belong to.
    static let envelope = 512

    static func text(_ text: String?) -> Int { text.map { $0.utf8.count + 7 } ?? 0 }
    static func user(_ user: UserID?) -> Int { text(user?.rawValue) }

    static func map(_ map: [String: String]) -> Int {
        map.reduce(0) { $0 + text($1.key) + text($1.value) + 7 }
    }
}

extension UserPart: Weighed {
    package var weight: Int {
        PieceWeight.user(user.id) + PieceWeight.text(user.nickname) + PieceWeight.text(user.profileURL)
            + PieceWeight.map(user.metadata) + PieceWeight.text(user.inboxEpoch)
            + devices.reduce(0) { $0 + PieceWeight.text($1.token) + PieceWeight.number + 7 } + 9 * PieceWeight.number
            + PieceWeight.text(erasure?.alias.rawValue)
    }
}

extension FilePart: Weighed {
    package var weight: Int {
        PieceWeight.text(file.channel.rawValue) + PieceWeight.user(file.owner) + PieceWeight.text(file.name)
            + PieceWeight.text(file.mimeType) + 2 * PieceWeight.id + 4 * PieceWeight.number
    }
}

extension ReportPart: Weighed {
    package var weight: Int {
        PieceWeight.text(report.description) + PieceWeight.text(note) + PieceWeight.text(report.ruleID) + 2
            * ChannelID.byteLimit
            + PieceWeight.user(report.by)
            + 4 * UserID.codePointLimit + 2 * PieceWeight.id + 8 * PieceWeight.number
    }
}

extension RoleDefinition: Weighed {
    package var weight: Int { PieceWeight.text(customType) + (permissions.count + 2) * PieceWeight.number + 7 }
}

extension TextRuleDefinition: Weighed {
    package var weight: Int {
        let lists = [words, forbiddenDomains, allowedDomains, customTypes].compactMap(\.self)
        return lists.joined().reduce(PieceWeight.text(id) + PieceWeight.text(pattern) + PieceWeight.number + 7 + 4 * 7)
        {
            $0 + PieceWeight.text($1)
        }
    }
}

extension ModerationPart: Weighed {
    package var weight: Int {
        PieceWeight.text(log?.rawValue) + PieceWeight.text(entry.action) + PieceWeight.user(entry.by)
            + PieceWeight.text(entry.channelID?.rawValue) + PieceWeight.user(entry.userID)
            + PieceWeight.text(entry.reportID) + PieceWeight.text(entry.description) + PieceWeight.id
            + 3 * PieceWeight.number + 7
    }
}

extension Emoji: Weighed {
    package var weight: Int {
        PieceWeight.text(key) + PieceWeight.text(url) + PieceWeight.text(character) + PieceWeight.text(category) + 7
    }
}

extension ChannelPart: Weighed {
    /// The size without the lists.
    package var weight: Int {
        let key = channel.distinctKey
        let members = (key?.members ?? []).reduce(0) { $0 + PieceWeight.user($1) }
        return PieceWeight.text(channel.id.rawValue) + PieceWeight.text(channel.epoch) + PieceWeight.text(channel.name)
            + members + PieceWeight.text(key?.customType) + PieceWeight.text(channel.coverURL)
            + PieceWeight.text(channel.data) + PieceWeight.text(channel.customType) + PieceWeight.text(importID)
            + PieceWeight.map(channel.metadata) + PieceWeight.user(channel.creator) + 13 * PieceWeight.number
    }
}

extension BlockListPart: Weighed {
    package var weight: Int { PieceWeight.user(user) + PieceWeight.user(blocked) + PieceWeight.number + 7 }
}

extension SenderPart: Weighed {
    package var weight: Int { PieceWeight.user(user) + PieceWeight.number + 7 }
}

extension InvitationPart: Weighed {
    package var weight: Int { PieceWeight.user(user) + PieceWeight.user(inviter) + 3 * PieceWeight.number }
}

extension SanctionPart: Weighed {
    package var weight: Int {
        PieceWeight.user(user) + PieceWeight.text(description) + PieceWeight.user(by) + 4 * PieceWeight.number
    }
}

extension ThreadPart: Weighed {
    package var weight: Int { PieceWeight.text(title) + PieceWeight.text(data) + PieceWeight.id + 7 }
}

extension MemberPart.ThreadMark: Weighed {
    static let weight = PieceWeight.id + PieceWeight.number + 7
    package var weight: Int { Self.weight }
}

extension MemberPart: Weighed {
    package var weight: Int {
        PieceWeight.user(user) + PieceWeight.user(invitedBy) + threadMarks.count * ThreadMark.weight
            + 11 * PieceWeight.number
    }
}

extension ReactionsPart.Reactor: Weighed {
    /// The weight with the longest possible user id.
    static let largest = 4 * UserID.codePointLimit + 7 + PieceWeight.number
    package var weight: Int { PieceWeight.user(user) + PieceWeight.number }
}

extension ReactionsPart.Key: Weighed {
    package var weight: Int {
        PieceWeight.text(key) + reactors.reduce(0) { $0 + $1.weight } + 2 * PieceWeight.number + 3 * 7
    }
}

extension ReactionsPart: Weighed {
    package var weight: Int { keys.reduce(PieceWeight.number + 7) { $0 + $1.weight } }
}

extension MessagePart: Weighed {
    package var weight: Int {
        PieceWeight.text(text) + PieceWeight.user(sender) + PieceWeight.text(clientID) + 10 * PieceWeight.number
            + (parent == nil ? 0 : PieceWeight.id + PieceWeight.number) + (details?.weight ?? 0)
    }
}

extension MessagePart.Details: Weighed {
    package var weight: Int {
        var weight = PieceWeight.text(customType) + PieceWeight.text(data) + 7 * PieceWeight.number + 7
        for user in mentions?.userIDs ?? [] { weight += PieceWeight.user(user) }
        if let extras { weight += extras.weight }
        if let reactions { weight += reactions.weight }
        return weight
    }
}

extension MessageExtras: Weighed {
    package var weight: Int {
        var weight = 12 * PieceWeight.number + PieceWeight.text(criticalAlert?.name) + PieceWeight.text(sourceID)
        for (key, values) in metaArrays ?? [:] {
            weight += PieceWeight.text(key) + values.reduce(14) { $0 + PieceWeight.text($1) }
        }
        for language in targetLanguages ?? [] { weight += PieceWeight.text(language) }
        for file in files ?? [] {
            weight +=
                PieceWeight.text(file.url) + PieceWeight.text(file.name) + PieceWeight.text(file.mimeType)
                + PieceWeight.id + PieceWeight.number + 7
        }
        return weight + (thumbnailSizes?.count ?? 0) * 3 * PieceWeight.number
    }
}
