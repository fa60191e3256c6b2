import ChatModel

/// What the app's backend does to whole histories: deletes users, limits how long channels keep messages, and imports
/// channels. Some of the seeds with a backend have it.
struct SimulatedRemovals {
    static let imported = ["i1", "i2", "i3"].compactMap { ChannelID($0) }
    private static let source = "older-chat"
    /// When the imported channel was created, in milliseconds since 1970.
    private static let beginning: Int64 = 1_500_000_000_000

    private var random: SplitMix
    let isEnabled: Bool
    /// The import under way, counted from 0, and its next step. Steps may be lost or repeated.
    private var imports = 0
    private var step = 0

    /// - Parameter seed: Seeds a generator of its own, so that nothing else changes.
    init(seed: UInt64) {
        random = SplitMix(seed: seed &* 37 &+ 0xE4A5E)
        isEnabled = random.chance(percent: 40)
    }

    /// - Parameter deletesUsers: False if a server's clock may be an hour ahead, which would lock users out for an hour.
    mutating func next(deletesUsers: Bool) -> (any Request)? {
        guard isEnabled else { return nil }
        if step > 0, random.chance(percent: 25) { return nextOfImport() }
        guard random.chance(percent: 8) else { return nil }
        switch random.below(10) {
        case 0..<4 where deletesUsers:
            return DeleteUser(
                userID: random.pick(Knowledge.people), deleteMessages: random.chance(percent: 50) ? true : nil)
        case 0..<8:
            return SetRetention(
                channelID: random.pick(Knowledge.channels + Self.imported),
                maxAgeSeconds: random.chance(percent: 50) ? 1 + random.below(8) : nil,
                maxMessages: random.chance(percent: 60) ? 1 + random.below(6) : nil)
        default: return nextOfImport()
        }
    }

    private mutating func nextOfImport() -> any Request {
        let id = "import-\(imports)"
        defer { if random.chance(percent: 75) { step += 1 } }
        switch step {
        case 0: return BeginImport(importID: id, source: Self.source)
        case 1: return AddImportLines(importID: id, firstLine: 1, lines: people)
        case 2: return AddImportLines(importID: id, firstLine: 1 + people.count, lines: messages)
        default:
            defer { (imports, step) = (imports + 1, 0) }
            return FinishImport(importID: id, discard: imports % 4 == 3 ? true : nil)
        }
    }

    private var channel: ChannelID { Self.imported[imports % Self.imported.count] }

    private var people: [ImportLine] {
        var line = ImportLine(type: "channel")
        line.channel = ImportedChannel(id: channel, createdAt: Self.beginning)
        line.channel?.name = "imported \(imports)"
        return [line]
            + Knowledge.people.prefix(3).map { user in
                var line = ImportLine(type: "member")
                line.channelID = channel
                line.member = ImportedMember(user: ImportedUser(id: user))
                line.member?.joinedAt = Self.beginning
                return line
            }
    }

    private var messages: [ImportLine] {
        (0..<8).map { number in
            var message = ImportedMessage(
                id: "\(imports).\(number)", channelID: channel, createdAt: Self.beginning + Int64(number) * 1_000)
            message.user = ImportedUser(id: Knowledge.people[number % 3])
            message.text = "imported \(imports).\(number) from long ago"
            var line = ImportLine(type: "message")
            (line.channelID, line.message) = (channel, message)
            return line
        }
    }
}
