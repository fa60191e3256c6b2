import ChatModel
import TestSupport

/// A chat and a model that live through the same.
struct World<Chat: Driver> {
    private var chat: Chat
    private(set) var model: NaiveChat
    /// How many steps were refused, by code.
    private(set) var refused: [Int: Int] = [:]

    init(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var rules = NaiveChat.Rules()
        rules.hidesHistory = random.chance(percent: 50)
        rules.distinctByCustomType = random.chance(percent: 50)
        rules.usersCreateChannels = !random.chance(percent: 5)
        rules.reactions = !random.chance(percent: 10)
        rules.reactionsInSuperChannels = !random.chance(percent: 50)
        chat = try await Chat.begin(rules, seed: seed)
        model = NaiveChat(rules: rules, people: Cast.people)
    }

    func end() async { await chat.end() }

    /// - Returns: What the two disagree about; `nil` when they do not.
    mutating func live(through step: Step) async -> String? {
        model.now += step.pause
        model.fresh = Step.id(step.serial)
        let (got, expected) = await outcomes(of: step.request, by: step.user)
        guard got == expected else { return told(step.request, step.user, got, expected) }
        if case .refused(let code) = got { refused[code, default: 0] += 1 }
        for id in Cast.channels {
            guard let listeners = chat.listeners(of: id) else { continue }
            let members = Set((model.channels[id]?.joined ?? [:]).keys)
            if listeners != members {
                return "who hears \(id): \(listeners.sorted()), and members are \(members.sorted())"
            }
        }
        return nil
    }

    private mutating func differs(_ request: any Request, _ user: UserID?) async -> String? {
        let (got, expected) = await outcomes(of: request, by: user)
        return got == expected ? nil : told(request, user, got, expected)
    }

    private mutating func outcomes(
        of request: any Request, by user: UserID?
    ) async -> (got: Outcome, expected: Outcome) {
        let expected = model.outcome(of: request, by: user)
        return (await chat.outcome(of: request, by: user, now: model.now, fresh: model.fresh), expected)
    }

    private func told(_ request: any Request, _ user: UserID?, _ got: Outcome, _ expected: Outcome) -> String {
        "\(user?.rawValue ?? "server"): \(request)\n  chat:  \(got)\n  model: \(expected)"
    }

    /// Compares everything that anyone can see.
    mutating func compare() async -> String? {
        for user in Cast.people.map(Optional.some) + [nil] {
            for channel in Cast.channels {
                let requests: [any Request] = [
                    GetChannel(channelID: channel), ListMembers(channelID: channel, order: .operatorThenNickname),
                    ListMessages(
                        channelID: channel, limit: 100, replies: .all, includeThread: true, includeParent: true,
                        includeReactions: true, includeDeleted: true),
                    ListBanned(channelID: channel), ListMuted(channelID: channel),
                ]
                for request in requests {
                    if let difference = await differs(request, user) { return difference }
                }
            }
        }
        for (id, channel) in model.channels {
            for message in channel.messages where message.parent == nil {
                if let difference = await differs(ListReplies(channelID: id, parentMessageID: message.id), nil) {
                    return difference
                }
            }
        }
        return nil
    }
}
