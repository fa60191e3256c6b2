import ChatDomain
import ChatModel

extension ScriptWriter {
    /// Returns a change of the text rules, of which there are mostly none.
    mutating func textRules() -> any Request {
        if random.chance(percent: 60) {
            return DeleteTextRules(ids: random.pick([["a", "b"], ["a", "b"], ["a"], []]))
        }
        let rule = TextRuleDefinition(
            id: random.pick(["a", "b"]), words: random.pick([["ho"], ["hello"], ["hello", "ho"], []]),
            action: random.pick([.refuse, .mask, .mask, .report]))
        return SetTextRules(rules: [rule])
    }

    /// Returns a change of the roles, or of the app's admins. Most changes are soon taken back, because little would happen.
    mutating func role() -> any Request {
        if random.chance(percent: 25) {
            return UpsertUser(id: person(), isAppAdmin: random.chance(percent: 40))
        }
        let role = random.pick([ChannelRole.member, .member, .operator, .guest, .appAdmin, .listener])
        let permissions = Permission.allCases.filter { _ in random.chance(percent: 70) }
        return SetRole(
            customType: maybe(40, ["a", "b", ""]), role: role,
            permissions: random.chance(percent: 40) ? permissions : nil)
    }

    mutating func hook() -> any Request {
        let (url, secret) = ("https://a.example", "0123456789abcdef01234567")
        return random.pick([
            GetHook(), SetHook(), SetHook(url: url, secret: secret),
            SetHook(url: url, secret: secret, onFailure: .allow),
            SetHook(url: url, secret: secret, onFailure: .refuse),
        ])
    }

    /// Returns a command as the app's hook sometimes changes it.
    mutating func replaced(_ request: any Request) -> any Request {
        guard hasTime, random.chance(12) else { return request }
        let text = random.pick(["ho", "other", ""])
        return switch request {
        case let request as SendMessage: ReplacedText(request, text: text)
        case let request as UpdateMessage: ReplacedText(request, text: text)
        case let request as UpdateThread: ReplacedText(request, text: text)
        default: request
        }
    }

    /// Returns a ban or mute in the whole app, the end of one, or a disconnect.
    mutating func appSanction() -> any Request {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: BanUser(userID: person(), seconds: maybe(90, [1, 1, 2, 0]), description: maybe(20, ["spam"]))
        case 2, 3: MuteUser(userID: person(), seconds: maybe(90, [1, 2, 3, -1]), description: maybe(20, ["loud"]))
        case 4: UnbanUser(userID: person())
        case 5: UnmuteUser(userID: person())
        case 6: DisconnectUser(userID: person())
        case 7: ListBannedUsers(limit: maybe(40, [0, 1, 2]))
        default: ListMutedUsers(limit: maybe(40, [1, 2]))
        }
    }
}
