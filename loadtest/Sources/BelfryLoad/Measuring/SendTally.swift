import Histogram
import LoadReport
import Synchronization

/// The outcomes of sent messages, by number.
final class SendTally: Sendable {
    struct State {
        var acknowledged = 0
        var failed: Set<Int> = []
        var firstFailures: [String] = []
        var latency = Histogram<UInt64>.latency()
        /// The longest delay caused by the tester itself.
        var worstLateness: UInt64 = 0
    }

    let state = Mutex(State())
    let sent = Atomic<Int>(0)

    func recordAcknowledgement(after nanoseconds: UInt64, isMeasured: Bool) {
        state.withLock {
            $0.acknowledged += 1
            if isMeasured { _ = $0.latency.record(nanoseconds) }
        }
    }

    func recordFailure(_ sequence: Int, _ why: String) {
        state.withLock {
            $0.failed.insert(sequence)
            if $0.firstFailures.count < 5 { $0.firstFailures.append("message \(sequence): \(why)") }
        }
    }

    func recordSent(late nanoseconds: UInt64) {
        sent.add(1, ordering: .relaxed)
        state.withLock { $0.worstLateness = max($0.worstLateness, nanoseconds) }
    }

    // MARK: Report

    var check: Report.Check {
        let (sent, acknowledged) = (sent.load(ordering: .relaxed), state.withLock(\.acknowledged))
        return Report.Check(
            "every message was acknowledged, including the warm-up", found: "\(acknowledged) of \(sent)",
            passed: acknowledged == sent)
    }

    /// The problems: one for each message without acknowledgement.
    var problems: [String] {
        state.withLock { state in
            let more = state.failed.count - state.firstFailures.count
            return state.firstFailures.map { "not acknowledged: \($0)" }
                + (more > 0 ? ["not acknowledged: \(more) more messages"] : [])
        }
    }

    var remarks: [String] {
        let worst = state.withLock(\.worstLateness)
        guard worst > 20_000_000 else { return [] }
        return [
            "the tester was up to \((Double(worst) / 1e6).formatted(2)) ms late sending a message: it is overloaded"
        ]
    }
}
