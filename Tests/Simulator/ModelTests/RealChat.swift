import ChatDomain
import ChatModel
import Records

/// The domain alone. From time to time its state is split into parts, written, read and reassembled: a snapshot and the
/// later records must give the same state as all records.
struct RealChat: Driver {
    private var state = ChatState()
    /// The same state, never split.
    private var whole = ChatState()
    private var replies = 0
    private var deadlines = Deadlines()
    private let settings: ChatSettings
    /// The members of each channel's room, with the first offset each can see, according to the effects.
    private var ears: [Room: [UserID: UInt64]] = [:]
    private var events: [UserID: Heard] = [:]

    static let takesGuests = true
    static let keepsTime = true

    static func begin(_ rules: NaiveChat.Rules, seed: UInt64) -> RealChat { RealChat(rules.settings) }

    private init(_ settings: ChatSettings) {
        self.settings = settings
        for (index, id) in Cast.people.enumerated() {
            let context = Context(
                caller: .user(id), now: 0, freshID: Step.id(UInt64(index) + 1_000_000), settings: settings)
            fold(state.creationEvents(for: id, context), context)
        }
    }

    func listeners(of channel: ChannelID) -> Set<UserID>? {
        Set((ears[.channel(channel)] ?? [:]).keys)
    }

    mutating func heard() -> [UserID: Heard] {
        defer { events = [:] }
        return Dictionary(Cast.people.map { ($0, events[$0] ?? Heard()) }) { $1 }
    }

    func end() {}

    mutating func reply(to request: any Request, by user: UserID?, now: Int64, fresh: MessageID) -> Reply {
        let context = Context(caller: user.map { .user($0) } ?? .server, now: now, freshID: fresh, settings: settings)
        replies += 1
        endMessages(at: now)
        if replies % 37 == 0, let problem = passThroughSnapshot() { return Reply(.unknown(problem)) }
        do throws(Rejection) {
            // The check that the engine makes before it admits a caller.
            if let refusal = state.refusal(of: context.caller, at: now) { throw refusal }
            if let user { fold(state.creationEvents(for: user, context), context) }
            if let change = request as? any Change { return try run(change, context) }
            if let query = request as? any Query { return try ask(query, context) }
            return Reply(.unknown("neither change nor query"))
        } catch {
            return Reply(.refused(error.code.rawValue))
        }
    }

    /// - Returns: A description of the difference, if any.
    private mutating func passThroughSnapshot() -> String? {
        var expected: [StatePart] = []
        whole.parts { expected.append($0) }
        let copy = ChatState()
        do {
            try state.parts { part in
                guard let bytes = StateCoder.encode(part) else { throw RecordError.malformed }
                try copy.load(try StateCoder.decode(bytes))
            }
        } catch {
            return "a snapshot cannot be read: \(error)"
        }
        var found: [StatePart] = []
        copy.parts { found.append($0) }
        state = copy
        deadlines = Deadlines(of: state, settings)
        return found == expected ? nil : "a snapshot comes to \(found), everything from the beginning to \(expected)"
    }

    private mutating func run(_ change: some Change, _ context: Context) throws(Rejection) -> Reply {
        let decision = try change.decide(in: state, context)
        for effect in state.effects(of: decision.messages, context) { follow(effect) }
        let records = fold(decision.events, context)
        if let refusal = decision.refusal { throw refusal }
        let reply = Reply(answer: try change.response(from: state, context, after: records))
        finishErasures(context)
        return reply
    }

    /// Replaces a deleted user everywhere, as the engine's turns do.
    private mutating func finishErasures(_ context: Context) {
        let context = Context(caller: .server, now: context.now, freshID: context.freshID, settings: settings)
        guard let user = state.usersBeingErased.first else { return }
        var scan = ErasureScan(of: user, in: state)
        while true {
            let turn = scan.turn(in: state)
            fold(turn.events, context)
            if turn.isOver { return }
        }
    }

    private func ask(_ query: some Query, _ context: Context) throws(Rejection) -> Reply {
        Reply(answer: try query.answer(from: state, context))
    }

    /// Removes everything whose time is over by now, as the engine's timer does.
    private mutating func endMessages(at now: Int64) {
        let context = Context(caller: .server, now: now, freshID: MessageID(high: 0, low: 0), settings: settings)
        while true {
            let events = deadlines.due(at: now, in: state, settings).events
            guard !events.isEmpty else { return }
            fold(events, context)
        }
    }

    @discardableResult
    private mutating func fold(_ events: [Event], _ context: Context) -> [Record] {
        let records = state.records(of: events, in: context)
        for record in records {
            state.evolve(record)
            whole.evolve(record)
            deadlines.add(record, in: state, settings)
            for effect in state.effects(of: record, settings) { follow(effect) }
        }
        return records
    }

    private mutating func follow(_ effect: Effect) {
        switch effect {
        case .gained(let user, let standing): ears[standing.room, default: [:]][user] = standing.visibleFrom
        case .lost(let user, let room): ears[room]?[user] = nil
        case .guestsLost(let room): ears[room] = ears[room]?.filter { !$0.key.isGuest }
        case .narrowed(let user, let room, let visibleFrom): ears[room]?[user] = visibleFrom
        case .ended(let room): ears[room] = nil
        case .announce(let announcement):
            for position in announcement.positions {
                if case .inbox(let user) = position.room { hear(announcement.event, user, position.room) }
                for (user, visibleFrom) in ears[position.room] ?? [:] {
                    let isHidden = visibleFrom > announcement.hidesBefore
                    hear(
                        isHidden ? announcement.redacted ?? announcement.event : announcement.event, user, position.room
                    )
                }
            }
        case .deliver(let event, let room): for user in (ears[room] ?? [:]).keys { hear(event, user, room) }
        case .transient, .disconnected, .tokensRevoked, .webhooksChanged, .pushing, .push, .pushed, .redacted,
            .trimmed, .filesRemoved, .discarded, .erased, .forgotten, .notify:
            break
        }
    }

    private mutating func hear(_ event: TypedEvent, _ user: UserID, _ room: Room) {
        events[user, default: Heard()].hear(event, in: room)
    }
}
