import ChatModel
import Synchronization

/// Users whose work budget is used up, as the engine last saw it: loops ask before they decode large commands, which the
/// engine would only refuse.
///
/// May be asked from any queue; nearly always nobody is listed, and asking costs one load.
final class Debtors: Sendable {
    /// Users listed at most; others are refused by the engine itself.
    static let bound = 10_000

    private let ends = Mutex<[UserID: Int64]>([:])
    private let isAnybody = Atomic(false)

    /// - Parameter wait: Milliseconds until the user may send again.
    /// - Returns: How many users are listed now.
    @discardableResult
    func note(_ user: UserID, wait: Int64, now: Int64) -> Int {
        let (end, isTooLong) = now.addingReportingOverflow(wait)
        return ends.withLock { ends in
            if ends.count >= Self.bound { ends = ends.filter { $0.value > now } }
            if ends.count < Self.bound || ends[user] != nil { ends[user] = isTooLong ? .max : end }
            isAnybody.store(!ends.isEmpty, ordering: .relaxed)
            return ends.count
        }
    }

    /// - Returns: Milliseconds until the user may send again; nil for now.
    func wait(_ user: UserID, now: Int64) -> Int64? {
        guard isAnybody.load(ordering: .relaxed) else { return nil }
        return ends.withLock { ends in
            guard let end = ends[user] else { return nil }
            if end > now { return end - now }
            ends[user] = nil
            isAnybody.store(!ends.isEmpty, ordering: .relaxed)
            return nil
        }
    }

    var count: Int { ends.withLock(\.count) }
}
