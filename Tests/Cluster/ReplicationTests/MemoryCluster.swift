import Dispatch
import Replication
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

final class MemoryLogConnection: LogStore {
    private let log: MemoryLog
    private let queue = DispatchQueue(label: "log store")
    /// Whether nothing passes in either direction.
    let isCut = Atomic(false)

    init(_ log: MemoryLog) { self.log = log }

    private var isReachable: Bool { !isCut.load(ordering: .relaxed) }

    func append(
        _ message: [UInt8], expecting last: UInt64, id: String, _ done: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        queue.async { done(self.isReachable ? self.log.append(message, expecting: last) : .unknown) }
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

/// A bus in memory. Each node has a connection, which can be cut.
final class MemoryBus: Sendable {
    fileprivate let subscriptions = Mutex<[MemorySubscription.Entry]>([])

    func connect() -> MemoryBusConnection { MemoryBusConnection(self) }
}

final class MemoryBusConnection: Bus {
    private let bus: MemoryBus
    private let queue = DispatchQueue(label: "bus")
    let isCut = Atomic(false)

    init(_ bus: MemoryBus) { self.bus = bus }

    fileprivate var isReachable: Bool { !isCut.load(ordering: .relaxed) }

    private func subscriptions(of subject: String) -> [MemorySubscription] {
        guard isReachable else { return [] }
        return bus.subscriptions.withLock { $0.compactMap(\.subscription) }.filter {
            $0.subject == subject && $0.connection.isReachable
        }
    }

    func publish(_ message: [UInt8], to subject: String) {
        for subscription in subscriptions(of: subject) { subscription.receive(message, nil) }
    }

    func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> any BusSubscription {
        let subscription = MemorySubscription(subject, self) { message, reply in
            self.queue.async { receive(message, reply) }
        }
        bus.subscriptions.withLock { entries in
            entries.removeAll { $0.subscription == nil }
            entries.append(MemorySubscription.Entry(subscription: subscription))
        }
        return subscription
    }

    func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) {
        let isDone = AtomicFlag()
        let finish: @Sendable (BusReply) -> Void = { reply in
            self.queue.async { if isDone.set() { done(reply) } }
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { finish(.silence) }
        guard isReachable else { return }
        let receivers = subscriptions(of: subject)
        if receivers.isEmpty { finish(.nobody) }
        for receiver in receivers { receiver.receive(message) { finish(.reply($0)) } }
    }
}

private final class AtomicFlag: Sendable {
    private let isSet = Atomic(false)
    /// - Returns: Whether this call set it.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}

private final class MemorySubscription: BusSubscription {
    struct Entry: Sendable {
        weak var subscription: MemorySubscription?
    }

    let subject: String
    let connection: MemoryBusConnection
    let receive: @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void

    init(
        _ subject: String, _ connection: MemoryBusConnection,
        _ receive: @escaping @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void
    ) {
        self.subject = subject
        self.connection = connection
        self.receive = receive
    }
}
