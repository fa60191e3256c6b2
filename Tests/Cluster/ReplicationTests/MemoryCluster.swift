import Dispatch
import Replication
import Simulation
import Synchronization

/// A log store in memory, with real queues. Each node has a connection, which can be cut.
final class MemoryLog: Sendable {
    private struct State {
        var entries: [LogEntry] = []
        var followers: [@Sendable (LogEntry) -> Void] = []
    }

    private let state = Mutex(State())

    var entries: [LogEntry] { state.withLock(\.entries) }

    func connect() -> MemoryLogConnection { MemoryLogConnection(self) }

    func append(_ message: [UInt8], expecting last: UInt64) -> AppendOutcome {
        let (outcome, followers) = state.withLock { state -> (AppendOutcome, [@Sendable (LogEntry) -> Void]) in
            guard last == state.entries.count else { return (.conflict, []) }
            state.entries.append(LogEntry(number: last + 1, message: message))
            return (.stored(last + 1), state.followers)
        }
        if case .stored(let number) = outcome {
            for follower in followers { follower(LogEntry(number: number, message: message)) }
        }
        return outcome
    }

    func follow(_ receive: @escaping @Sendable (LogEntry) -> Void) { state.withLock { $0.followers.append(receive) } }
}

final class MemoryLogConnection: UnmeasuredLogStore {
    let log: MemoryLog
    private let queue = DispatchQueue(label: "log store")
    /// Whether nothing passes in either direction.
    let isCut = Atomic(false)
    /// Whether appends are carried out and not answered.
    let losesReplies = Atomic(false)

    init(_ log: MemoryLog) { self.log = log }

    var entries: [LogEntry] { log.entries }

    private var isReachable: Bool { !isCut.load(ordering: .relaxed) }

    func append(
        _ message: [UInt8], expecting last: UInt64, id: String, _ done: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        queue.async {
            let outcome = self.isReachable ? self.log.append(message, expecting: last) : .unknown
            if !self.losesReplies.load(ordering: .relaxed) { done(outcome) }
        }
    }

    func read(
        from number: UInt64, bytes: Int, _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void
    ) {
        queue.async {
            guard self.isReachable else { return done(.failure(.unreachable)) }
            var (result, size): ([LogEntry], Int) = ([], 0)
            for entry in self.log.entries.dropFirst(Int(clamping: max(1, number)) - 1) where size < bytes {
                result.append(entry)
                size += entry.message.count
            }
            done(.success(result))
        }
    }

    func bounds(_ done: @escaping @Sendable (Result<LogBounds, LogStoreError>) -> Void) {
        queue.async {
            let last = UInt64(self.log.entries.count)
            done(self.isReachable ? .success(LogBounds(first: 1, last: last)) : .failure(.unreachable))
        }
    }

    func trim(before number: UInt64, _ done: @escaping @Sendable (Result<Void, LogStoreError>) -> Void) {
        queue.async { done(.failure(.failed("not needed here"))) }
    }

    func follow(_ receive: @escaping @Sendable (LogEntry) -> Void) {
        log.follow { entry in self.queue.async { if self.isReachable { receive(entry) } } }
    }
}
