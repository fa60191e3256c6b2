import BelfryClient
import Histogram

/// What was acknowledged to the senders of one loop.
///
/// Touched on the queue of `loop` only, until the run is over.
final class SendLedger: @unchecked Sendable {
    let loop: ClientLoop
    /// From when on latencies count, in nanoseconds of the monotonic clock.
    private let measured: UInt64
    /// Nanoseconds from when a message was to leave to its acknowledgement.
    private(set) var latency = Histogram<UInt64>.latency()
    private(set) var offsets: [UInt64] = []
    private(set) var failures = 0
    private(set) var firstFailures: [String] = []

    init(_ loop: ClientLoop, measured: UInt64) {
        self.loop = loop
        self.measured = measured
    }

    /// - Parameter began: When the message left or, in an open loop, was to leave.
    /// - Returns: Whether it was acknowledged, as that message and no other.
    func note(_ result: Result<[UInt8], BelfryError>, of clientID: String, began: UInt64) -> Bool {
        let answer: [UInt8]
        switch result {
        case .success(let json): answer = json
        case .failure(let error):
            fail("message \(clientID): \(error)")
            return false
        }
        guard let acknowledgement = Acknowledgement(in: answer), acknowledgement.clientID == clientID else {
            fail("message \(clientID) was answered with something else")
            return false
        }
        offsets.append(acknowledgement.offset)
        let now = Clock.now
        if began >= measured { _ = latency.record(now > began ? now - began : 0) }
        return true
    }

    private func fail(_ why: String) {
        failures += 1
        if firstFailures.count < 5 { firstFailures.append(why) }
    }

    /// Whether every message that was acknowledged has a place of its own, and no place between them is empty.
    ///
    /// - Parameter failures: Messages without acknowledgement: they may have a place or none.
    /// - Returns: What is wrong, in words.
    static func problems(offsets: [UInt64], failures: Int) -> [String] {
        let sorted = offsets.sorted()
        guard let first = sorted.first, let last = sorted.last else { return ["nothing was acknowledged"] }
        var problems: [String] = []
        let shared = zip(sorted, sorted.dropFirst()).count { $0 == $1 }
        if shared > 0 { problems.append("\(shared) messages were acknowledged with the offset of another") }
        let missing = Int(last - first) + 1 - (sorted.count - shared)
        if missing > failures { problems.append("\(missing) places between them belong to no message") }
        return problems
    }
}
