import BelfryClient
import Histogram

/// The acknowledgements of the senders on one loop.
///
/// Touched on the queue of `loop` only, until the run is over.
final class IngestLedger: @unchecked Sendable {
    let loop: ClientLoop
    /// The start of the measured part, in nanoseconds of the monotonic clock.
    private let measured: UInt64
    private let stretchNanoseconds: UInt64
    /// Nanoseconds from the intended time of a message to its acknowledgement, per stretch of the measured part.
    private(set) var latencies: [Histogram<UInt64>]
    private(set) var offsets: [UInt64] = []
    private(set) var failures = 0
    private(set) var firstFailures: [String] = []

    init(_ loop: ClientLoop, measured: UInt64, pace: Pace) {
        self.loop = loop
        self.measured = measured
        stretchNanoseconds = UInt64(pace.stretchSeconds) * 1_000_000_000
        latencies = Array(repeating: .latency(), count: pace.stretchCount)
    }

    /// - Parameter began: When the message was sent or, in an open loop, its intended time.
    /// - Returns: Whether this message was acknowledged.
    func record(_ result: Result<[UInt8], BelfryError>, of clientID: String, began: UInt64) -> Bool {
        let answer: [UInt8]
        switch result {
        case .success(let json): answer = json
        case .failure(let error):
            fail("message \(clientID): \(error)")
            return false
        }
        guard let acknowledgement = Acknowledgement(in: answer), acknowledgement.clientID == clientID else {
            fail("message \(clientID) received a reply that does not match it")
            return false
        }
        offsets.append(acknowledgement.offset)
        if began >= measured {
            let stretch = Int(clamping: (began - measured) / stretchNanoseconds)
            _ = latencies[min(stretch, latencies.count - 1)].record(Clock.since(began))
        }
        return true
    }

    private func fail(_ why: String) {
        failures += 1
        if firstFailures.count < 5 { firstFailures.append(why) }
    }

    /// Counts duplicate and missing offsets among the acknowledged messages.
    struct Places: Equatable {
        /// Messages with the same offset as another.
        var shared = 0
        /// Offsets between the first and the last that belong to no message.
        var empty = 0

        init(_ offsets: [UInt64]) {
            let sorted = offsets.sorted()
            guard let first = sorted.first, let last = sorted.last else { return }
            shared = zip(sorted, sorted.dropFirst()).count { $0 == $1 }
            empty = Int(clamping: last - first) + 1 - (sorted.count - shared)
        }
    }
}
