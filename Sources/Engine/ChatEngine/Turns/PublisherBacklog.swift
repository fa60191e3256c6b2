import Synchronization

/// Work that commands have queued for the publisher and that is not done yet, by payer.
///
/// All acknowledgements wait for these events, in journal order. While a payer has many bytes in the backlog, the
/// payer's commands are refused, so that one user's burst delays others by milliseconds only.
final class PublisherBacklog: Sendable {
    /// The publisher work caused by one outcome.
    struct Debt: Sendable, Equatable {
        let payer: Payer
        /// In work units.
        let work: Int
    }

    /// The largest backlog of one payer, in work units: 2 MB of events. All commands that one connection may have in
    /// flight fit, with the longest texts.
    static let share = 50_000_000
    /// Smaller amounts are not counted, so that ordinary commands never take the lock.
    static let smallest = 500_000
    /// When a refused payer may retry.
    static let retryMilliseconds: Int64 = 50

    private let debts = Mutex<[Payer: Int]>([:])
    /// Whether there are debts: nearly always there are none.
    private let hasDebts = Atomic(false)

    /// - Returns: `nil` if the work is not counted.
    func charge(_ work: Int, to payer: Payer) -> Debt? {
        guard work >= Self.smallest, payer != .server else { return nil }
        debts.withLock {
            $0[payer, default: 0] += work
            hasDebts.store(true, ordering: .relaxed)
        }
        return Debt(payer: payer, work: work)
    }

    func isOver(_ payer: Payer) -> Bool {
        hasDebts.load(ordering: .relaxed) && debts.withLock { $0[payer, default: 0] >= Self.share }
    }

    func settle(_ debt: Debt) {
        debts.withLock { debts in
            let left = debts[debt.payer, default: 0] - debt.work
            debts[debt.payer] = left > 0 ? left : nil
            hasDebts.store(!debts.isEmpty, ordering: .relaxed)
        }
    }

    var count: Int { debts.withLock(\.count) }
}
