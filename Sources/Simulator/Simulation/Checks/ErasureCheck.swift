/// Checks that nothing of a deleted user is on a disk after it was erased: not in a snapshot, frame or block (`PR1`).
struct ErasureCheck: Check {
    mutating func observe(_ moment: History.Moment) throws(Broken) {
        guard case .erased(let frame, let leaks) = moment, let leak = leaks.first else { return }
        throw Broken(.erasure, "after everything up to frame \(frame) was erased, \(leak)")
    }
}
