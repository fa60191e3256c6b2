import Synchronization

/// What commands have left for the publisher to do and it has not done yet, by whoever pays for them.
///
/// Everybody's acknowledgements stand behind these events, in the order of the journal. Commands of whoever has many bytes
/// there are refused until they are published, so that one user's burst delays others by milliseconds only.
final class PublisherBacklog: Sendable {
    /// What one outcome has left.
    struct Debt: Sendable, Equatable {
        let payer: Payer
        /// In work units.
        let work: Int
    }

    /// Work units that one payer may have there: 2 MB of events. All commands that one connection may have in flight
    /// fit, with the longest texts.
    static let share = 50_000_000
    /// What costs less is not counted, so that ordinary commands never meet the lock.
    static let smallest = 500_000
    /// When whoever is refused may come again.
    static let retryMilliseconds: Int64 = 50

    private let debts = Mutex<[Payer: Int]>([:])
    /// Whether anybody owes anything: nearly always nobody does.
    private let isOwed = Atomic(false)

    /// - Returns: `nil` for what is not counted.
    func owe(_ work: Int, by payer: Payer) -> Debt? {
        guard work >= Self.smallest, payer != .server else { return nil }
        debts.withLock {
            $0[payer, default: 0] += work
            isOwed.store(true, ordering: .relaxed)
        }
        return Debt(payer: payer, work: work)
    }

    func isOver(_ payer: Payer) -> Bool {
        isOwed.load(ordering: .relaxed) && debts.withLock { $0[payer, default: 0] >= Self.share }
    }

    func settle(_ debt: Debt) {
        debts.withLock { debts in
            let left = debts[debt.payer, default: 0] - debt.work
            debts[debt.payer] = left > 0 ? left : nil
            isOwed.store(!debts.isEmpty, ordering: .relaxed)
        }
    }

    var count: Int { debts.withLock(\.count) }
}
