import ChatDomain
import ChatModel
import TestSupport
import WireProtocol

/// One command of a script. It names messages by the ids that their commands will give them, so that it means the same
/// when others are taken out.
struct Step: CustomStringConvertible {
    var serial: UInt64
    /// `nil` for the server.
    var user: UserID?
    /// Milliseconds since the step before.
    var pause: Int64
    var request: any Request

    /// What this step makes has this id.
    static func id(_ serial: UInt64) -> MessageID { MessageID(high: serial, low: serial) }

    var description: String { "#\(serial) +\(pause) ms \(user?.rawValue ?? "server"): \(request)" }
}

/// The domain, driven by scripts.
struct RealChat {
    private(set) var state = ChatState()
    let settings: ChatSettings
    /// Who stands in which channel's room, as the effects told it.
    private(set) var ears: [Room: Set<UserID>] = [:]

    init(people: [UserID], settings: ChatSettings) {
        self.settings = settings
        for (index, id) in people.enumerated() {
            let context = Context(
                caller: .user(id), now: 0, freshID: Step.id(UInt64(index) + 1_000_000), settings: settings)
            fold(state.admission(of: id, context), context)
        }
    }

    mutating func outcome(of request: any Request, by user: UserID?, now: Int64, fresh: MessageID) -> Outcome {
        let context = Context(caller: user.map { .user($0) } ?? .server, now: now, freshID: fresh, settings: settings)
        do throws(Rejection) {
            if let change = request as? any Change { return try run(change, context) }
            if let query = request as? any Query { return try ask(query, context) }
            return .unknown("neither change nor query")
        } catch {
            return .refused(error.code.rawValue)
        }
    }

    private mutating func run(_ change: some Change, _ context: Context) throws(Rejection) -> Outcome {
        let decision = try change.decide(in: state, context)
        let records = fold(decision.events, context)
        if let refusal = decision.refusal { throw refusal }
        return Outcome(answer: try change.response(from: state, context, after: records))
    }

    private func ask(_ query: some Query, _ context: Context) throws(Rejection) -> Outcome {
        Outcome(answer: try query.answer(from: state, context))
    }

    @discardableResult
    private mutating func fold(_ events: [Event], _ context: Context) -> [Record] {
        let records = state.records(of: events, in: context)
        for record in records {
            state.evolve(record)
            for effect in state.effects(of: record, settings) {
                if case .gained(let user, let standing) = effect { ears[standing.room, default: []].insert(user) }
                if case .lost(let user, let room) = effect { ears[room]?.remove(user) }
                if case .ended(let room) = effect { ears[room] = nil }
            }
        }
        return records
    }
}

/// A domain and a model that live through the same.
struct World {
    static let people: [UserID] = ["ann", "bob", "cat", "dan", "eve"].compactMap { UserID($0) }
    static let channels: [ChannelID] = ["c1", "c2", "c3", "c4"].compactMap { ChannelID($0) }

    private(set) var real: RealChat
    private(set) var model: NaiveChat
    /// How many steps were refused, by code.
    private(set) var refused: [Int: Int] = [:]

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rules = NaiveChat.Rules()
        rules.hidesHistory = random.chance(percent: 50)
        rules.distinctByCustomType = random.chance(percent: 50)
        rules.usersCreateChannels = !random.chance(percent: 5)
        rules.reactions = !random.chance(percent: 10)
        rules.reactionsInSuperChannels = !random.chance(percent: 50)
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = !rules.hidesHistory
        settings.channelsPerUser = rules.channelsPerUser
        settings.membersPerChannel = rules.membersPerChannel
        settings.membersPerSuperChannel = rules.membersPerSuperChannel
        settings.distinctByCustomType = rules.distinctByCustomType
        settings.usersCreateChannels = rules.usersCreateChannels
        settings.reactions = rules.reactions
        settings.reactionsInSuperChannels = rules.reactionsInSuperChannels
        settings.reactionUsersShown = rules.reactionUsersShown
        real = RealChat(people: Self.people, settings: settings)
        model = NaiveChat(rules: rules, people: Self.people)
    }

    /// - Returns: What the two disagree about; `nil` when they do not.
    mutating func live(through step: Step) -> String? {
        model.now += step.pause
        model.fresh = Step.id(step.serial)
        let (got, expected) = outcomes(of: step.request, by: step.user)
        guard got == expected else { return told(step.request, step.user, got, expected) }
        if case .refused(let code) = got { refused[code, default: 0] += 1 }
        for id in Self.channels {
            let ears = real.ears[.channel(id)] ?? []
            let members = Set((model.channels[id]?.joined ?? [:]).keys)
            if ears != members { return "who hears \(id): \(ears.sorted()), and members are \(members.sorted())" }
        }
        return nil
    }

    private mutating func differs(_ request: any Request, _ user: UserID?) -> String? {
        let (got, expected) = outcomes(of: request, by: user)
        return got == expected ? nil : told(request, user, got, expected)
    }

    private mutating func outcomes(of request: any Request, by user: UserID?) -> (got: Outcome, expected: Outcome) {
        let expected = model.outcome(of: request, by: user)
        return (real.outcome(of: request, by: user, now: model.now, fresh: model.fresh), expected)
    }

    private func told(_ request: any Request, _ user: UserID?, _ got: Outcome, _ expected: Outcome) -> String {
        "\(user?.rawValue ?? "server"): \(request)\n  domain: \(got)\n  model:  \(expected)"
    }

    /// Compares everything that anyone can see.
    mutating func compare() -> String? {
        for user in Self.people.map(Optional.some) + [nil] {
            for channel in Self.channels {
                let requests: [any Request] = [
                    GetChannel(channelID: channel), ListMembers(channelID: channel, order: .operatorThenNickname),
                    ListMessages(
                        channelID: channel, limit: 100, replies: .all, includeThread: true, includeParent: true,
                        includeReactions: true, includeDeleted: true),
                    ListBanned(channelID: channel), ListMuted(channelID: channel),
                ]
                for request in requests {
                    if let difference = differs(request, user) { return difference }
                }
            }
        }
        for (id, channel) in model.channels {
            for message in channel.messages where message.parent == nil {
                if let difference = differs(ListReplies(channelID: id, parentMessageID: message.id), nil) {
                    return difference
                }
            }
        }
        return nil
    }
}

/// A script that went wrong, and how.
struct Failure {
    var steps: [Step]
    var difference: String

    /// Plays a script from the beginning.
    init?(of steps: [Step], seed: UInt64) {
        var world = World(seed: seed)
        for (index, step) in steps.enumerated() {
            guard let difference = world.live(through: step) else { continue }
            self.init(steps: Array(steps[...index]), difference: difference)
            return
        }
        guard let difference = world.compare() else { return nil }
        self.init(steps: steps, difference: difference)
    }

    private init(steps: [Step], difference: String) {
        self.steps = steps
        self.difference = difference
    }

    /// Takes out whatever is not needed for it: halves first, then ever smaller pieces.
    func shrunk(seed: UInt64) -> Failure {
        var smallest = self
        var size = max(1, steps.count / 2)
        while true {
            var start = 0
            var isSmaller = false
            while start < smallest.steps.count {
                var fewer = smallest.steps
                let end = min(start + size, fewer.count)
                let lost = fewer[start..<end].reduce(0) { $0 + $1.pause }
                fewer.removeSubrange(start..<end)
                // The time that went by still goes by.
                if start < fewer.count { fewer[start].pause += lost }
                if let failure = Failure(of: fewer, seed: seed) {
                    smallest = failure
                    isSmaller = true
                } else {
                    start += size
                }
            }
            if size == 1, !isSmaller { return smallest }
            size = max(1, size / 2)
        }
    }
}
