import ChatDomain
import ChatModel
import WireProtocol

/// The worst case of a command: its most expensive input and state.
package struct WorstCase {
    /// The method, or a few words for other work of the engine.
    package let command: String
    /// The reason why it is expensive.
    package let note: String
    /// The number of runs; `nil` for the scale's number.
    package let runs: Int?
    /// Prepares the command's requirements without measuring them, and runs it.
    package let run: (inout WorstChat, _ number: Int) throws -> WorstChat.Run

    /// Every command of the table at least once, and the other work on the engine's queue. Commands that remove many
    /// items come last.
    package static var all: [WorstCase] {
        users + channels + lists + people + sanctions + messages + queries + threads + reading + reactions + app
            + imports + exports + outside + growth + moderation + ends
    }

    static func change<C: Change>(
        _ note: String, runs: Int? = nil, _ make: @escaping (inout WorstChat, Int) throws -> (C, UserID?)
    ) -> WorstCase {
        WorstCase(command: C.method, note: note, runs: runs) { chat, number in
            let (change, user) = try make(&chat, number)
            return try chat.measure(change, as: user.map(Caller.user) ?? .server)
        }
    }

    /// - Parameter command: The command that contains the query, if the query is not a command itself.
    static func query<Q: Query>(
        _ note: String, of command: String? = nil, runs: Int? = nil,
        _ make: @escaping (inout WorstChat, Int) throws -> (Q, UserID?)
    ) -> WorstCase {
        WorstCase(command: command ?? Q.method, note: note, runs: runs) { chat, number in
            let (query, user) = try make(&chat, number)
            return try chat.measure(query, as: user.map(Caller.user) ?? .server)
        }
    }

    static func signal<S: Signal>(
        _ note: String, runs: Int? = nil, _ make: @escaping (inout WorstChat, Int) throws -> (S, UserID?)
    ) -> WorstCase {
        WorstCase(command: S.method, note: note, runs: runs) { chat, number in
            let (signal, user) = try make(&chat, number)
            return try chat.measure(signal, as: user.map(Caller.user) ?? .server)
        }
    }

    /// Returns the slowest of many consecutive runs.
    static func slowest(
        of command: String, _ note: String, _ count: @escaping (WorstScale) -> Int,
        _ step: @escaping (inout WorstChat, Int) throws -> WorstChat.Run
    ) -> WorstCase {
        WorstCase(command: command, note: note, runs: 1) { chat, _ in
            var slowest = WorstChat.Run()
            for number in 0..<count(chat.scale) {
                let run = try step(&chat, number)
                if run.total > slowest.total { slowest = run }
            }
            return slowest
        }
    }
}

/// The results of one case's runs.
package struct WorstResult: Sendable {
    package let command: String
    package let note: String
    package let runs: Int
    /// The median by time.
    package let median: WorstChat.Run
    package let slowest: WorstChat.Run
}

extension WorstCase {
    package func measure(_ chat: inout WorstChat) throws -> WorstResult {
        var results: [WorstChat.Run] = []
        for number in 0..<(runs ?? chat.scale.runs) { results.append(try run(&chat, number)) }
        results.sort { $0.total < $1.total }
        return WorstResult(
            command: command, note: note, runs: results.count, median: results[results.count / 2],
            slowest: results[results.count - 1])
    }
}
