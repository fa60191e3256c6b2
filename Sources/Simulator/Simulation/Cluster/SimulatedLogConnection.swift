import Replication

/// The connection of a simulated node to the log store.
///
/// Confined to the simulator's thread, which stands in for the store's queue.
package final class SimulatedLogConnection: UnmeasuredLogStore, @unchecked Sendable {
    private let store: SimulatedLogStore
    private var follower: (@Sendable (LogEntry) -> Void)?
    /// Whether nothing passes in either direction.
    package var isCut = false
    private var isClosed = false

    /// How long a request waits for the reply, in milliseconds.
    private static let patience = 1_000

    init(_ store: SimulatedLogStore) { self.store = store }

    /// Ends the process. Appends that are on their way may still arrive.
    package func close() {
        isClosed = true
        follower = nil
        store.remove(self)
    }

    package func append(
        _ message: [UInt8], expecting last: UInt64, id: String, _ done: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        ask(.unknown, canBeLate: true, done) { $0.append(message, expecting: last, id: id) }
    }

    package func read(
        from number: UInt64, bytes: Int, _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void
    ) {
        ask(.failure(.unreachable), done) { $0.read(from: number, bytes: bytes) }
    }

    package func bounds(_ done: @escaping @Sendable (Result<LogBounds, LogStoreError>) -> Void) {
        ask(.failure(.unreachable), done) { .success($0.bounds) }
    }

    package func trim(before number: UInt64, _ done: @escaping @Sendable (Result<Void, LogStoreError>) -> Void) {
        ask(.failure(.unreachable), done) { .success($0.trim(before: number)) }
    }

    package func follow(_ receive: @escaping @Sendable (LogEntry) -> Void) { follower = receive }

    func deliver(_ entry: LogEntry) {
        guard !isCut else { return }
        follower?(entry)
    }

    /// Sends a request to the store. Gives `silence` if no reply comes in time.
    private func ask<Reply>(
        _ silence: Reply, canBeLate: Bool = false, _ done: @escaping (Reply) -> Void,
        _ perform: @escaping (SimulatedLogStore) -> Reply
    ) {
        let (store, timeline) = (self.store, self.store.timeline)
        let result = FirstResult<Reply> { [weak self] in if self?.isClosed == false { done($0) } }
        timeline.after(Self.patience) { result(silence) }
        guard !isCut, !store.random.chance(percent: store.faults.lostRequests) else { return }
        let isLate = canBeLate && store.random.chance(percent: store.faults.lateRequests)
        timeline.after(1 + store.random.below(isLate ? 3 * Self.patience : 5)) { [weak self] in
            guard store.isAvailable else { return }
            let reply = perform(store)
            guard self?.isCut == false, !store.random.chance(percent: store.faults.lostReplies) else { return }
            timeline.after(1 + store.random.below(5)) { result(reply) }
        }
    }
}
