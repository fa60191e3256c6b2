/// The processes of the server's nodes, in the order of their URLs. All values are nil when the processes are unknown
/// or one of them has exited.
struct ServerProcesses: Sendable, Equatable {
    /// Empty when unknown.
    let pids: [Int32]

    static let unknown = ServerProcesses(pids: [])

    /// The CPU time of each, in seconds.
    var cpu: [Double]? { all(ProcessTime.seconds) }

    /// The resident memory of all together, and the sum of their peaks, in bytes.
    var memory: (now: Int, peak: Int)? {
        all(ProcessTime.memory)?.reduce((0, 0)) { ($0.0 + $1.now, $0.1 + $1.peak) }
    }

    /// The open descriptors of all together.
    var descriptors: Int? { all(ProcessTime.descriptors)?.reduce(0, +) }

    /// Resets the memory peaks to the current values.
    ///
    /// - Returns: False when that failed for one of them.
    func resetPeaks() -> Bool { !pids.isEmpty && pids.map(ProcessTime.resetPeak).allSatisfy(\.self) }

    private func all<Value>(_ read: (Int32) -> Value?) -> [Value]? {
        guard !pids.isEmpty else { return nil }
        let values = pids.compactMap(read)
        return values.count == pids.count ? values : nil
    }
}
