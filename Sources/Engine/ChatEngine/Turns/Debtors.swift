import ChatModel
import Synchronization

/// Users whose work budget is used up, as the engine last saw it: loops check before they decode large commands, which
/// the engine would only refuse.
///
/// Callable from any queue; nearly always nobody is listed, and a check costs one load.
final class Debtors: Sendable {
    /// Users listed at most; others are refused by the engine itself.
    static let capacity = 10_000

    private let ends = Mutex<[UserID: Int64]>([:])
    private let isAnyoneListed = Atomic(false)

    /// - Parameter wait: In milliseconds.
    /// - Returns: How many users are listed now.
    @discardableResult
    func record(_ user: UserID, retryAfter wait: Int64, now: Int64) -> Int {
        let (end, isTooLong) = now.addingReportingOverflow(wait)
        return ends.withLock { ends in
            if ends.count >= Self.capacity { ends = ends.filter { $0.value > now } }
            if ends.count < Self.capacity || ends[user] != nil { ends[user] = isTooLong ? .max : end }
            isAnyoneListed.store(!ends.isEmpty, ordering: .relaxed)
            return ends.count
        }
    }

    /// - Returns: Milliseconds until the user may send again; nil for now.
    func retryAfter(_ user: UserID, now: Int64) -> Int64? {
        guard isAnyoneListed.load(ordering: .relaxed) else { return nil }
        return ends.withLock { ends in
            guard let end = ends[user] else { return nil }
            if end > now { return end - now }
            ends[user] = nil
            isAnyoneListed.store(!ends.isEmpty, ordering: .relaxed)
            return nil
        }
    }

    var count: Int { ends.withLock(\.count) }
}
