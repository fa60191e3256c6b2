import ChatDomain
import ChatModel
import TestSupport

/// The chat as driven by the engine, without engine, log and listeners: decide → records → evolve → effects → response.
package struct BenchmarkChat {
    package private(set) var state = ChatState()
    private var now: Int64 = 1_780_000_000_000
    private var ids = SeededGenerator(seed: 1)
    private let settings: ChatSettings
    /// Receives the records of each command.
    package var written: ([Record]) -> Void = { _ in }
    /// Receives the effects of a record.
    package var caused: (([Effect]) -> Void)?

    package init() {
        var settings = ChatSettings()
        // Users and channels are unlimited, because only the cost is measured.
        settings.membersPerChannel = 100_000
        settings.channelsPerUser = 100_000
        self.settings = settings
    }

    private mutating func context(_ caller: Caller) -> Context {
        now += 1
        return Context(
            caller: caller, now: now, freshID: MessageID(milliseconds: now, random: (ids.next(), ids.next())),
            settings: settings)
    }

    private mutating func fold(_ events: [Event], _ context: Context) -> [Record] {
        let records = state.records(of: events, in: context)
        for record in records {
            state.evolve(record)
            let effects = state.effects(of: record, settings)
            caused?(effects)
        }
        if !records.isEmpty { written(records) }
        return records
    }

    package mutating func admit(_ user: UserID) {
        let context = context(.user(user))
        _ = fold(state.creationEvents(for: user, context), context)
    }

    @discardableResult
    package mutating func run<C: Change>(_ change: C, as caller: Caller) throws(Rejection) -> C.Response {
        let context = context(caller)
        let decision = try change.decide(in: state, context)
        let records = fold(decision.events, context)
        if let refusal = decision.refusal { throw refusal }
        return try change.response(from: state, context, after: records)
    }

    package mutating func ask<Q: Query>(_ query: Q, as caller: Caller) throws(Rejection) -> Q.Response {
        try query.answer(from: state, context(caller))
    }
}

/// Returns the id of a user; a benchmark generates only valid ids.
package func user(_ number: Int) -> UserID {
    guard let id = UserID("user-\(number)") else { preconditionFailure("not a user id") }
    return id
}

package func channel(_ number: Int) -> ChannelID {
    guard let id = ChannelID("channel-\(number)") else { preconditionFailure("not a channel id") }
    return id
}
