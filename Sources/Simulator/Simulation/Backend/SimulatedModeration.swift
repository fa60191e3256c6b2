import ChatModel

/// What the app's backend does against users who misbehave: mutes, bans, disconnects, slow mode, text rules, a
/// hook and roles. Some of the seeds with a backend have it.
struct SimulatedModeration {
    private var random: SplitMix
    private let isEnabled: Bool
    private var serial = 0

    /// - Parameter seed: Seeds a generator of its own, so that nothing else changes.
    init(seed: UInt64) {
        random = SplitMix(seed: seed &* 41 &+ 0x5A9C)
        isEnabled = random.chance(percent: 40)
    }

    /// - Parameter bansUsers: False if a server's clock may be an hour ahead, which would lock users out for an hour.
    mutating func next(bansUsers: Bool) -> (any Request)? {
        guard isEnabled, random.chance(percent: 8) else { return nil }
        serial += 1
        let user = random.pick(Knowledge.people)
        switch random.below(21) {
        case 0..<4: return MuteUser(userID: user, seconds: 1 + Int64(random.below(4)))
        case 4: return UnmuteUser(userID: user)
        case 5..<8 where bansUsers: return BanUser(userID: user, seconds: 1 + Int64(random.below(2)))
        case 8: return UnbanUser(userID: user)
        case 9..<13: return slowMode()
        case 13..<16: return SetTextRules(rules: [rule()])
        case 16: return DeleteTextRules(ids: [rule().id])
        case 17: return hook()
        case 18: return DisconnectUser(userID: user)
        default: return role()
        }
    }

    private mutating func slowMode() -> any Request {
        UpdateChannel(channelID: random.pick(Knowledge.channels), slowModeSeconds: random.below(3))
    }

    /// Matches the serial numbers of some messages. Masking would change the texts that other checks compare.
    private mutating func rule() -> TextRuleDefinition {
        let digit = random.below(4)
        return TextRuleDefinition(
            id: "rule-\(digit)", words: ["*\(digit)\(serial % 10)"], action: digit == 0 ? .refuse : .report)
    }

    private mutating func hook() -> any Request {
        guard random.chance(percent: 70) else { return SetHook() }
        return SetHook(
            url: "https://app.example", secret: "0123456789abcdef01234567",
            onFailure: random.chance(percent: 50) ? .allow : .refuse)
    }

    private mutating func role() -> any Request {
        SetRole(role: .member, permissions: random.chance(percent: 50) ? [.send, .reply, .invite] : nil)
    }
}
