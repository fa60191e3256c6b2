import ChatDomain
import ChatModel
import Foundation
import Records
import TestSupport
import WireProtocol

/// The largest chat that default limits allow, driven as by the engine, and timed.
package struct WorstChat {
    /// One run of a command: its cost for the engine, and its result.
    package struct Run: Sendable {
        /// Nanoseconds of processor time for deciding; the other steps follow.
        package var decide: UInt64 = 0
        /// Assigning the events' positions, applying and encoding them.
        package var fold: UInt64 = 0
        package var respond: UInt64 = 0
        /// Encoding the journal's frame, which also runs on the engine's queue.
        package var encode: UInt64 = 0
        package var events = 0
        package var effectCount = 0
        package var frameBytes = 0
        package var answerBytes = 0

        /// The longest turn of a sliced query.
        var longestSlice: UInt64?

        package var total: UInt64 { decide + fold + respond + encode }
        /// The time for which nobody else gets a turn.
        package var longestTurn: UInt64 { longestSlice ?? total }
    }

    package let scale: WorstScale
    package private(set) var state = ChatState()
    var live = LiveState()
    /// Ann's message in hall 0 with all the replies, and the replies.
    var parent = MessageID(high: 0, low: 0)
    var replies: [MessageID] = []
    /// Ann's message in hall 0 that has all the reactions.
    var reacted = MessageID(high: 0, low: 0)
    /// The time at which many of the large messages were sent.
    var ties: Int64 = 0
    /// The pending work of the last command.
    private var searches: [PushSearch] = []
    private var settings = ChatSettings()
    private var now: Int64 = 1_780_000_000_000
    private var ids = SeededGenerator(seed: 1)

    /// Creates an empty chat.
    init(empty scale: WorstScale) {
        self.scale = scale
        settings.guests.isEnabled = true
        settings.userSearch = true
    }

    // MARK: Building

    /// Returns the context for a caller's command, and advances the clock by a millisecond.
    mutating func context(_ caller: Caller, _ survey: ChannelSurvey? = nil) -> Context {
        now += 1
        return Context(
            caller: caller, now: now, freshID: freshID(), settings: settings, presence: live.presence, survey: survey)
    }

    mutating func freshID() -> MessageID { MessageID(milliseconds: now, random: (ids.next(), ids.next())) }

    mutating func pass(milliseconds: Int64) { now += milliseconds }

    var time: Int64 { now }

    /// Applies the effects that commands would have had, without measuring.
    mutating func apply(_ events: [Event], by user: UserID? = nil) {
        let context = context(user.map(Caller.user) ?? .server)
        for record in state.records(of: events, in: context) { state.evolve(record) }
    }

    // MARK: Measuring

    mutating func measure(_ change: some Change, as caller: Caller) throws(Rejection) -> Run {
        var run = Run()
        var (survey, slices) = survey(for: change, caller)
        let context = context(caller, survey)
        var clock = ProcessorClock()
        let decide = { [state] () throws(Rejection) in try change.decide(in: state, context) }
        state.beginAttempt()
        var result = Result(catching: decide)
        if let rules = state.endAttempt().rules {
            slices.append(clock.lap())
            // Off the engine's queue.
            state.add(rules.run())
            _ = clock.lap()
            result = Result(catching: decide)
        }
        let decision = try result.get()
        let passing = state.effects(of: decision.messages, context)
        run.decide = clock.lap()
        let records = fold(decision.events, context, &run, &clock)
        _ = clock.lap()
        run.effectCount += passing.count
        if decision.refusal == nil {
            let response = try change.response(from: state, context, after: records)
            run.respond = clock.lap()
            run.answerBytes = WireEncoder().encode(response).count
        }
        if let longest = slices.max() {
            run.longestSlice = max(longest, run.total)
            run.decide += slices.reduce(0, +)
        }
        return run
    }

    /// Returns the survey that a command requires before it is decided, and the duration of each of its turns. The last
    /// turn also decides the command.
    private func survey(for change: some Change, _ caller: Caller) -> (ChannelSurvey?, slices: [UInt64]) {
        guard type(of: change).surveysChannels, let user = caller.user else { return (nil, []) }
        let work = WorkMeter()
        let survey = ChannelSurvey(of: user, in: state)
        var slices: [UInt64] = []
        var clock = ProcessorClock()
        while !survey.advance(in: state, work) {
            slices.append(clock.lap())
            work.beginSlice()
        }
        return (survey, slices + [clock.lap()])
    }

    /// Measures events that no command causes.
    mutating func measure(_ decide: (ChatState, Context) -> [Event]) -> Run {
        var run = Run()
        let context = context(.server)
        var clock = ProcessorClock()
        let events = decide(state, context)
        run.decide = clock.lap()
        _ = fold(events, context, &run, &clock)
        return run
    }

    mutating func measure(_ query: some Query, as caller: Caller) throws(Rejection) -> Run {
        var run = Run()
        let context = context(caller)
        var clock = ProcessorClock()
        var step = try query.begin(in: state, context)
        while true {
            let slice = clock.lap()
            run.respond += slice
            run.longestSlice = max(run.longestSlice ?? 0, slice)
            switch step {
            case .answered(let response):
                run.answerBytes = WireEncoder().encode(response).count
                return run
            case .unfinished(let rest):
                context.work.beginSlice()
                step = try rest(state, context)
            case .lookup(let lookup, let rest):
                // The index answers elsewhere; this finds the same.
                let findings = state.scan(lookup, WorkMeter())
                _ = clock.lap()
                context.work.beginSlice()
                step = try rest(findings, state, context)
            }
        }
    }

    mutating func measure(_ signal: some Signal, as caller: Caller) throws(Rejection) -> Run {
        var run = Run()
        let context = context(caller)
        var clock = ProcessorClock()
        let (response, effects) = try signal.carryOut(in: state, &live, context)
        run.decide = clock.lap()
        run.effectCount = effects.count
        run.answerBytes = WireEncoder().encode(response).count
        return run
    }

    /// Measures other work on the engine's queue.
    mutating func measure(work: (ChatState, inout LiveState, ChatSettings, Int64) -> Int) -> Run {
        var run = Run()
        now += 1
        var clock = ProcessorClock()
        run.effectCount = work(state, &live, settings, now)
        run.decide = clock.lap()
        return run
    }

    /// Measures the turns that prepare a new connection's reply.
    mutating func measureArrival(of user: UserID) -> Run {
        var run = Run()
        let work = WorkMeter()
        let survey = ChannelSurvey(of: user, in: state)
        var isDone = false
        while !isDone {
            var clock = ProcessorClock()
            isDone = survey.advance(in: state, work)
            if isDone {
                run.effectCount = survey.arrival(joiningRooms: true, in: state, work).standings.count
                _ = state.person(user)
            }
            let slice = clock.lap()
            run.respond += slice
            run.longestSlice = max(run.longestSlice ?? 0, slice)
            work.beginSlice()
        }
        return run
    }

    /// Measures the turns that search for the pushes of a sent message.
    ///
    /// - Returns: The longest turn.
    mutating func measurePushes(of send: (inout WorstChat) throws(Rejection) -> Run) throws(Rejection) -> Run {
        _ = try send(&self)
        let work = WorkMeter()
        var longest = Run()
        for var search in searches {
            while !search.isOver {
                var run = Run()
                var clock = ProcessorClock()
                repeat {
                    if search.next(in: state, live.presence, work) != nil { run.effectCount += 1 }
                } while !search.isOver && !work.isSliceOver
                run.decide = clock.lap()
                work.beginSlice()
                if run.total > longest.total { longest = run }
            }
        }
        return longest
    }

    private mutating func fold(
        _ events: [Event], _ context: Context, _ run: inout Run, _ clock: inout ProcessorClock
    ) -> [Record] {
        let records = state.records(of: events, in: context)
        run.events = records.count
        var effects: [Effect] = []
        for record in records {
            state.evolve(record)
            for effect in state.effects(of: record, settings) {
                // In a large channel, pushes are not part of the command.
                if case .pushing(var search) = effect, search.isShort {
                    if let notice = search.next(in: state, live.presence) { effects.append(.push(notice)) }
                } else {
                    effects.append(effect)
                }
            }
        }
        run.effectCount += effects.count
        run.fold = clock.lap()
        // The engine frees discarded objects on another queue.
        for case .discarded(let object) in effects { object.free() }
        _ = clock.lap()
        searches = effects.compactMap { if case .pushing(let search) = $0 { search } else { nil } }
        if !records.isEmpty {
            run.frameBytes = RecordCoder.encode(records)?.count ?? 0
            run.encode = clock.lap()
        }
        return records
    }
}

/// The processor time of this thread, unaffected by other programs on the machine.
private struct ProcessorClock {
    private var last = Self.now

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the nanoseconds since the last call.
    mutating func lap() -> UInt64 {
        let now = Self.now
        defer { last = now }
        return now - last
    }
}
