import ChatModel
import TestSupport

/// A history that is read page by page while others continue to write (`MS5`).
private struct Book {
    var request: ListMessages
    let user: UserID?
    /// The oldest message returned so far.
    var oldest: MessageID

    /// - Parameter next: The page's token.
    init?(_ request: ListMessages, _ user: UserID?, _ page: Outcome, next: String) {
        guard case .messages(let messages, _, _, _) = page else { return nil }
        guard let oldest = request.reverse == true ? messages.last : messages.first else { return nil }
        self.request = request
        self.request.token = next
        self.user = user
        self.oldest = oldest.id
    }
}

/// A chat and a model that run the same commands.
struct World<Chat: Driver> {
    private var chat: Chat
    private(set) var model: NaiveChat
    private var book: Book?
    /// The number of refused steps, by code.
    private(set) var refused: [Int: Int] = [:]

    init(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var rules = NaiveChat.Rules()
        rules.hidesHistory = random.chance(percent: 50)
        rules.distinctByCustomType = random.chance(percent: 50)
        rules.usersCreateChannels = !random.chance(percent: 5)
        if random.chance(percent: 12) { rules.userChannelIDs = random.pick([.prefix, .prefix, .off]) }
        rules.reactions = !random.chance(percent: 10)
        rules.reactionsInSuperChannels = !random.chance(percent: 50)
        rules.channelsPerUser = random.pick([3, 4])
        rules.channelsPerCreator = random.pick([2, 1_000])
        rules.mostRepliedUsers = random.pick([1, 2, 4])
        rules.exportsOwnData = random.chance(percent: 50)
        chat = try await Chat.begin(rules, seed: seed)
        model = NaiveChat(rules: rules, people: Cast.people)
    }

    func end() async { await chat.end() }

    /// - Returns: The difference between the two, if any.
    mutating func live(through step: Step) async -> String? {
        model.now += step.pause
        model.fresh = Step.id(step.serial)
        let (reply, expected) = await ask(step.request, by: step.user)
        guard reply.outcome == expected else { return told(step.request, step.user, reply.outcome, expected) }
        // Unexpected events are still pending the next time.
        if !model.told.isEmpty || step.serial % 8 == 0, let difference = await misheard() { return difference }
        if case .refused(let code) = expected { refused[code, default: 0] += 1 }
        if let next = reply.next, let request = step.request as? ListMessages, step.serial % 2 == 0 {
            book = Book(request, step.user, expected, next: next)
        } else if let next = reply.next, let request = step.request as? any Paged {
            if let difference = await turnPages(of: request, by: step.user, after: expected.size, next) {
                return difference
            }
        }
        if step.serial % 4 == 1, let difference = await readOn() { return difference }
        for id in Cast.channels {
            guard let listeners = chat.listeners(of: id) else { continue }
            let members = Set((model.channels[id]?.joined ?? [:]).keys)
            if listeners != members {
                return "who hears \(id): \(listeners.sorted()), and members are \(members.sorted())"
            }
        }
        return nil
    }

    /// Follows a list to its end, for at most 50 pages.
    private mutating func turnPages(
        of request: some Paged, by user: UserID?, after told: Int, _ token: String
    ) async -> String? {
        defer { model.skipped = 0 }
        var request = request
        var next: String? = token
        model.skipped = told
        for _ in 0..<50 {
            request.token = next
            let (reply, expected) = await ask(request, by: user)
            guard reply.outcome == expected else { return self.told(request, user, reply.outcome, expected) }
            next = reply.next
            if next == nil { return nil }
            model.skipped += expected.size
        }
        return nil
    }

    private mutating func misheard() async -> String? {
        let heard = await chat.heard()
        for user in Cast.people {
            guard let heard = heard[user] else { continue }
            let expected = model.told[user] ?? Heard()
            if heard != expected { return "\(user) hears: \(heard)\n  model: \(expected)" }
        }
        return nil
    }

    /// Fetches a page of an open history.
    private mutating func readOn() async -> String? {
        // Deleting a channel deleted its history.
        guard let open = book, model.channels[open.request.channelID]?.index(of: open.oldest) != nil else {
            book = nil
            return nil
        }
        model.before = open.oldest
        defer { model.before = nil }
        let (reply, expected) = await ask(open.request, by: open.user)
        guard reply.outcome == expected else { return told(open.request, open.user, reply.outcome, expected) }
        if case .refused = expected { return nil }
        book = reply.next.flatMap { Book(open.request, open.user, expected, next: $0) }
        return nil
    }

    private mutating func differs(_ request: any Request, _ user: UserID?) async -> String? {
        let (reply, expected) = await ask(request, by: user)
        return reply.outcome == expected ? nil : told(request, user, reply.outcome, expected)
    }

    private mutating func ask(_ request: any Request, by user: UserID?) async -> (reply: Reply, expected: Outcome) {
        let expected = model.outcome(of: request, by: user)
        return (await chat.reply(to: request, by: user, now: model.now, fresh: model.fresh), expected)
    }

    private func told(_ request: any Request, _ user: UserID?, _ got: Outcome, _ expected: Outcome) -> String {
        "\(user?.rawValue ?? "server"): \(request)\n  chat:  \(got)\n  model: \(expected)"
    }

    /// Compares everything that any user can see.
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
        for user in Cast.people {
            if let difference = await differs(ListThreads(limit: 100), user) { return difference }
            var everything = ListChannels(limit: 100)
            everything.includeEmpty = true
            everything.hiddenState = .all
            if let difference = await differs(everything, user) { return difference }
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
