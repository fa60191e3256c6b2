import ChatDomain
import ChatModel
import TestSupport

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

extension ChannelID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = ChannelID(text) else { preconditionFailure("not a channel id") }
        self = id
    }
}

let ann: UserID = "ann"
let bob: UserID = "bob"
let cat: UserID = "cat"
let dan: UserID = "dan"
let eve: UserID = "eve"
let general: ChannelID = "general"

/// An event received by one user.
struct Heard {
    let room: Room
    let offset: UInt64
    let event: TypedEvent
}

/// A chat without engine, disk, sockets or clock: decide → records → evolve → effects. It records what everyone
/// receives.
struct Chat {
    var settings = ChatSettings()
    private(set) var state = ChatState()
    /// All records since the beginning.
    private(set) var records: [Record] = []
    /// The effects of the last command.
    private(set) var lastEffects: [Effect] = []
    private(set) var lastRecords: [Record] = []
    /// The pending searches left by the last command; `lastEffects` has its immediate effects.
    private(set) var lastSearches: [PushSearch] = []
    /// Milliseconds since 1970.
    var now: Int64 = 1_780_000_000_000
    /// The milliseconds by which the clock advances before each change.
    var step: Int64 = 1
    private var ids: SeededGenerator
    /// The rooms of each user's connections, with the offset from which messages are visible.
    private(set) var ears: [UserID: [Room: UInt64]] = [:]
    private var heard: [UserID: [Heard]] = [:]
    private(set) var endedRooms: [Room] = []

    init(_ users: [UserID] = [ann, bob, cat, dan, eve], settings: ChatSettings = ChatSettings(), seed: UInt64 = 1) {
        ids = SeededGenerator(seed: seed)
        self.settings = settings
        for user in users { meet(user) }
    }

    private mutating func context(_ caller: Caller) -> Context {
        let id = MessageID(milliseconds: now, random: (ids.next(), ids.next()))
        return Context(
            caller: caller, now: max(now, state.lastAt), freshID: id, settings: state.settings(over: settings),
            presence: live.presence)
    }

    /// Creates the user and lets them listen.
    mutating func meet(_ user: UserID) {
        let context = context(.user(user))
        fold(state.creationEvents(for: user, context), context)
        ears[user, default: [:]][.inbox(user)] = 0
    }

    @discardableResult
    mutating func run<C: Change>(_ change: C, as caller: Caller) throws(Rejection) -> C.Response {
        now += step
        if let refusal = state.refusal(of: caller, at: now) { throw refusal }
        let context = context(caller)
        lastRecords = []
        lastEffects = []
        lastSearches = []
        let decision = try change.decide(in: state, context)
        let told = state.effects(of: decision.messages, context)
        for effect in told { hear(effect) }
        lastEffects += told
        let own = fold(decision.events, context)
        if let refusal = decision.refusal { throw refusal }
        return try change.response(from: state, context, after: own)
    }

    private(set) var live = LiveState()
    var deadlines = Deadlines()

    @discardableResult
    mutating func signal<S: Signal>(_ signal: S, as caller: Caller) throws(Rejection) -> S.Response {
        now += step
        if let refusal = state.refusal(of: caller, at: now) { throw refusal }
        let (response, effects) = try signal.carryOut(in: state, &live, context(caller))
        for effect in effects { hear(effect) }
        return response
    }

    mutating func refusal(of signal: some Signal, as caller: Caller) -> ErrorCode? {
        do throws(Rejection) {
            try self.signal(signal, as: caller)
            return nil
        } catch {
            return error.code
        }
    }

    /// Opens one more connection for each user.
    mutating func connect(_ users: UserID...) {
        for user in users {
            now += step
            for effect in live.connect(user, in: state, at: now, settings) { hear(effect) }
        }
    }

    mutating func disconnect(_ user: UserID) {
        now += step
        for effect in live.disconnect(user, in: state, at: now, settings) { hear(effect) }
    }

    /// Runs the timer that records last-seen times.
    ///
    /// - Returns: The recorded event; `nil` if there is none.
    @discardableResult
    mutating func recordSightings() -> [Event.Sighting]? {
        now += step
        let event = live.nextSightings(in: state)
        let context = context(.server)
        (lastRecords, lastEffects) = ([], [])
        fold(event.map { [$0] } ?? [], context)
        guard case .usersSeen(let sightings) = event else { return nil }
        return sightings
    }

    mutating func depart() {
        for effect in live.depart(in: state, at: now, settings) { hear(effect) }
    }

    /// Runs the timer that ends expired typing.
    mutating func expire() {
        for effect in live.expire(in: state, at: now) { hear(effect) }
    }

    /// The guests found but not yet processed, and the guest up to whom the search has come.
    private var guestsDue: ArraySlice<UserID> = []
    private var lastGuest: UserID?

    /// Runs a turn of the engine's guest cleanup, which first searches for guests if none are known.
    ///
    /// - Returns: Whether another turn is due immediately.
    @discardableResult
    mutating func lookAtGuests() -> Bool {
        let context = context(.server)
        (lastRecords, lastEffects) = ([], [])
        if guestsDue.isEmpty {
            let found = state.guestsDue(after: lastGuest, context)
            (guestsDue, lastGuest) = (found.due[...], found.last)
        }
        let (events, count) = state.departures(of: guestsDue, context)
        guestsDue = guestsDue.dropFirst(count)
        fold(events, context)
        for case .guestRemoved(let user) in events { live.remove(user) }
        return !guestsDue.isEmpty || lastGuest != nil
    }

    /// Runs a turn of the follow-up work left by commands.
    ///
    /// - Returns: Whether there is more work.
    @discardableResult
    mutating func followUp() -> Bool {
        now += step
        let context = context(.server)
        (lastRecords, lastEffects) = ([], [])
        fold(state.followUp(), context)
        return state.hasFollowUps
    }

    /// Restarts the server from a snapshot.
    mutating func restart() throws { state = try copied() }

    /// Runs the engine's cleanup of uploads.
    mutating func sweepFiles() {
        let context = context(.server)
        (lastRecords, lastEffects) = ([], [])
        fold([.filesForgotten(state.expiredFiles(at: context.now))], context)
    }

    /// The files that the last command deleted.
    var removedFiles: [FileID] {
        lastEffects.flatMap { effect -> [FileID] in if case .filesRemoved(let ids) = effect { ids } else { [] } }
    }

    mutating func rejection(of query: some Query, as caller: Caller) -> Rejection? {
        do throws(Rejection) {
            _ = try ask(query, as: caller)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the rejection of a change without executing it.
    mutating func rejection(of change: some Change, as caller: Caller) -> Rejection? {
        do throws(Rejection) {
            _ = try change.decide(in: state, context(caller))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: The error code; `nil` if the change was accepted.
    mutating func refusal(of change: some Change, as caller: Caller) -> ErrorCode? {
        do throws(Rejection) {
            try run(change, as: caller)
            return nil
        } catch {
            return error.code
        }
    }

    mutating func ask<Q: Query>(_ query: Q, as caller: Caller) throws(Rejection) -> Q.Response {
        if let refusal = state.refusal(of: caller, at: now) { throw refusal }
        return try query.answer(from: state, context(caller))
    }

    mutating func refusal(of query: some Query, as caller: Caller) -> ErrorCode? {
        do throws(Rejection) {
            _ = try ask(query, as: caller)
            return nil
        } catch {
            return error.code
        }
    }

    /// Lets time pass, and removes what is due then, as the engine's timer does.
    ///
    /// - Returns: The number of messages removed.
    @discardableResult
    mutating func pass(seconds: Int64) -> Int {
        now += seconds * 1_000
        (lastRecords, lastEffects) = ([], [])
        var removed = 0
        while true {
            let (events, messages) = deadlines.due(at: now, in: state, settings)
            guard !events.isEmpty else { return removed }
            removed += messages
            fold(events, context(.server))
        }
    }

    /// Goes on with another state, as after a restart.
    mutating func replace(_ other: ChatState) { state = other }

    /// Applies events that no command causes any longer, as found in old journals.
    mutating func apply(_ events: [Event]) { fold(events, context(.server)) }

    @discardableResult
    private mutating func fold(_ events: [Event], _ context: Context) -> [Record] {
        let new = state.records(of: events, in: context)
        for record in new {
            state.evolve(record)
            deadlines.add(record, in: state, settings)
            let effects = state.effects(of: record, settings).flatMap { effect -> [Effect] in
                guard case .pushing(let search) = effect else { return [effect] }
                lastSearches.append(search)
                return search.notices(in: state).map(Effect.push)
            }
            for effect in effects { hear(effect) }
            lastEffects += effects
        }
        lastRecords += new
        records += new
        return new
    }

    private mutating func hear(_ effect: Effect) {
        switch effect {
        case .gained(let user, let standing): ears[user, default: [:]][standing.room] = standing.visibleFrom
        case .lost(let user, let room): ears[user]?[room] = nil
        case .guestsLost(let room): for user in ears.keys where user.isGuest { ears[user]?[room] = nil }
        case .transient(let rooms, let event, let hiddenFrom):
            for room in rooms {
                for (user, ears) in ears where ears[room] != nil && hiddenFrom[user] == nil {
                    heard[user, default: []].append(Heard(room: room, offset: 0, event: event))
                }
            }
        case .disconnected(let user): ears[user] = nil
        case .narrowed(let user, let room, let start):
            if ears[user]?[room] != nil { ears[user]?[room] = start }
        case .deliver(let event, let room):
            for (user, rooms) in ears where rooms[room] != nil {
                heard[user, default: []].append(Heard(room: room, offset: 0, event: event))
            }
        case .ended(let room):
            endedRooms.append(room)
            for user in ears.keys { ears[user]?[room] = nil }
        case .webhooksChanged, .pushing, .push, .pushed, .tokensRevoked, .redacted, .trimmed, .filesRemoved, .discarded,
            .erased, .forgotten, .notify:
            break
        case .announce(let announcement):
            for position in announcement.positions {
                for (user, rooms) in ears {
                    guard let visibleFrom = rooms[position.room] else { continue }
                    let isHidden = visibleFrom > announcement.hidesBefore
                    let event = isHidden ? announcement.redacted ?? announcement.event : announcement.event
                    heard[user, default: []].append(Heard(room: position.room, offset: position.offset, event: event))
                }
            }
        }
    }

    /// Returns everything the user has received so far.
    func heard(by user: UserID) -> [Heard] { heard[user] ?? [] }

    func heard(by user: UserID, in room: Room) -> [EventType] {
        heard(by: user).filter { $0.room == room }.map(\.event.type)
    }

    mutating func forgetWhatWasHeard() { heard = [:] }

    /// The state replayed from the records.
    var replayed: ChatState {
        let state = ChatState()
        for record in records { state.evolve(record) }
        return state
    }

    /// Returns a copy of the state that went through a snapshot.
    func copied() throws -> ChatState {
        let copy = ChatState()
        var parts: [StatePart] = []
        state.parts { parts.append($0) }
        for part in parts { try copy.load(part) }
        return copy
    }
}

extension PushSearch {
    /// Returns all remaining notices.
    func notices(in state: ChatState, _ presence: PresenceTable = PresenceTable()) -> [PushNotice] {
        var search = self
        var notices: [PushNotice] = []
        while !search.isOver {
            if let notice = search.next(in: state, presence) { notices.append(notice) }
        }
        return notices
    }
}
