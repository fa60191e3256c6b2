import ChatModel

/// The parts of an export, each with lines of one type; messages come with their reactions.
enum ExportStage: Int {
    case export, emojis, users, user, files, reports
    case channel, members, membership, bans, mutes, messages, threads, reads
    /// Nothing of the channel is left.
    case ended
    /// Stages of the app, between `reports` and `channel`.
    case appBans, appMutes, blocks

    var isOfChannel: Bool { (Self.channel.rawValue...Self.ended.rawValue).contains(rawValue) }
}

extension ExportScope {
    func includes(_ stage: ExportStage) -> Bool {
        switch (self, stage) {
        case (_, .export), (_, .files), (_, .reports), (_, .channel), (_, .bans), (_, .mutes), (_, .messages),
            (_, .ended):
            true
        case (.user, .user), (.user, .membership), (.user, .appBans), (.user, .appMutes), (.user, .blocks): true
        case (.user, _): false
        case (.everything, .emojis), (.everything, .users), (.everything, .appBans), (.everything, .appMutes),
            (.everything, .blocks):
            true
        case (_, .members), (_, .threads), (_, .reads): true
        default: false
        }
    }

    /// Returns whether an export can come to a place. A token may be forged, and must not lead to what others own.
    func includes(_ place: ExportPlace) -> Bool {
        guard includes(place.stage) else { return false }
        guard case .channel(let id) = self, place.stage.isOfChannel else { return true }
        return place.channel == id
    }
}

/// What an export has come to: everything up to here has been examined.
struct ExportPlace: Equatable {
    var stage = ExportStage.export
    /// The channel of the stages from `channel` on; the first channel is still to be found if it is absent there.
    var channel: ChannelID?
    /// The user, file, report, parent of a thread or emoji of the last line; empty at the beginning of the stage. After a
    /// reaction its key, and after the message itself empty.
    var key = ""
    /// `messages`: the offset of the last message; afterwards it stays, as the end of what is exported. `reports`: the
    /// time of the last one. `emojis`: the number of those before.
    var offset: UInt64 = 0
    /// The offset of the event that added the last reaction.
    var reaction: UInt64 = 0
}

/// The end of a page of an export, opaque to clients.
///
///     1.<lines so far>.<stage>.<offset>.<reaction>.<channel, hexadecimal>.<key, hexadecimal>.<check>
///
/// Numbers are in base 36. The check is a hash of everything before it, the method, and the user or channel, including
/// the random epoch of its room: one that was created again with the same id is another.
struct ExportToken {
    let place: ExportPlace
    /// The number of lines on all pages before.
    let lines: Int

    private static let lineLimit = 1 << 53

    func text(for subject: [String]) -> String {
        let numbers = [UInt64(lines), UInt64(place.stage.rawValue), place.offset, place.reaction]
        let texts = [place.channel?.rawValue ?? "", place.key]
        let body =
            "1." + (numbers.map { String($0, radix: 36) } + texts.map { hexadecimal($0) }).joined(separator: ".")
        return "\(body).\(Self.check(body, subject))"
    }

    init(place: ExportPlace, lines: Int) {
        self.place = place
        self.lines = min(lines, Self.lineLimit)
    }

    /// - Throws: 107 if the token was not issued here, was changed, or belongs to another user or channel.
    init(_ text: String, of scope: ExportScope, for subject: [String]) throws(Rejection) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 8, parts[0] == "1", let lines = Int(parts[1], radix: 36),
            (0...Self.lineLimit).contains(lines),
            let stage = Int(parts[2], radix: 36).flatMap(ExportStage.init), let offset = UInt64(parts[3], radix: 36),
            let reaction = UInt64(parts[4], radix: 36), let channel = decodeHexadecimal(parts[5]),
            let key = decodeHexadecimal(parts[6])
        else { throw Rejection(.badRequest, "next: must be the token of a previous response") }
        let place = ExportPlace(
            stage: stage, channel: ChannelID(channel), key: key, offset: offset, reaction: reaction)
        self.init(place: place, lines: lines)
        // Compares everything, so that a token has one spelling only.
        guard scope.includes(place), ByteOrder.areEqual(self.text(for: subject), text) else {
            throw Rejection(.badRequest, "next: the token was changed, or belongs to another export")
        }
    }

    private static func check(_ body: String, _ subject: [String]) -> String {
        var hash = StableHash()
        for text in subject { hash.combine(text) }
        hash.combine(body)
        return String(hash.value, radix: 36)
    }
}
