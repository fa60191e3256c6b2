import BelfryClient
import Histogram
import Synchronization

/// The results of the visits.
final class ChurnLedger: Sendable {
    struct State {
        /// Nanoseconds from the connection attempt to the connect reply, per stretch of the measured part.
        var connects: [Histogram<UInt64>]
        var joins = Histogram<UInt64>.latency()
        var visits = 0
        var failures = 0
        var firstFailures: [String] = []
    }

    let state: Mutex<State>
    /// The number of the next visit.
    let number = Atomic<Int>(0)
    private let measured: UInt64
    private let stretchNanoseconds: UInt64

    /// - Parameter measured: When visits begin to count, in nanoseconds of the monotonic clock.
    init(measured: UInt64, pace: Pace) {
        self.measured = measured
        stretchNanoseconds = UInt64(pace.stretchSeconds) * 1_000_000_000
        state = Mutex(State(connects: Array(repeating: .latency(), count: pace.stretchCount)))
    }

    /// - Parameters:
    ///   - began: When the client started to connect, in nanoseconds of the monotonic clock.
    ///   - took: Nanoseconds until it was connected.
    func recordConnect(began: UInt64, took: UInt64) {
        state.withLock { state in
            state.visits += 1
            guard began >= measured else { return }
            let stretch = Int(clamping: (began - measured) / stretchNanoseconds)
            if state.connects.indices.contains(stretch) { _ = state.connects[stretch].record(took) }
        }
    }

    func recordJoin(began: UInt64, took: UInt64) {
        if began >= measured { state.withLock { _ = $0.joins.record(took) } }
    }

    func recordFailure(_ what: String) {
        state.withLock {
            $0.failures += 1
            if $0.firstFailures.count < 5 { $0.firstFailures.append(what) }
        }
    }
}
