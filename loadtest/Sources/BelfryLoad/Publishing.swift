import BelfryClient
import Histogram
import Synchronization

/// What came of the messages that were sent.
final class SendTally: Sendable {
    struct State {
        var acknowledged = 0
        var failed: Set<Int> = []
        var firstFailures: [String] = []
        var latency = Histogram<UInt64>.latency()
        /// How late the tester itself was with a message, at worst.
        var worstLateness: UInt64 = 0
    }

    let state = Mutex(State())
    let sent = Atomic<Int>(0)

    func acknowledged(after nanoseconds: UInt64, isMeasured: Bool) {
        state.withLock {
            $0.acknowledged += 1
            if isMeasured { _ = $0.latency.record(nanoseconds) }
        }
    }

    func failed(_ sequence: Int, _ why: String) {
        state.withLock {
            $0.failed.insert(sequence)
            if $0.firstFailures.count < 5 { $0.firstFailures.append("message \(sequence): \(why)") }
        }
    }

    func left(at lateness: UInt64) {
        sent.add(1, ordering: .relaxed)
        state.withLock { $0.worstLateness = max($0.worstLateness, lateness) }
    }
}

/// Sends the messages of a plan at their times, whatever becomes of those before (open loop).
struct Publishing: Sendable {
    let plan: FanoutPlan
    let publishers: [BelfryClient]
    let tally: SendTally

    /// Blocks the calling thread for as long as the plan says; answers may come later.
    ///
    /// - Parameters:
    ///   - messages: Which of them; nil for all.
    ///   - start: When the first message leaves, in nanoseconds of the monotonic clock.
    func run(_ messages: Range<Int>? = nil, from start: UInt64, in group: DispatchGroupBox) {
        let messages = messages ?? 0..<plan.messages
        for sequence in messages {
            let intended = start + plan.intended(sequence - messages.lowerBound)
            Clock.sleep(until: intended)
            let now = Clock.now
            tally.left(at: now > intended ? now - intended : 0)
            send(sequence, intended, in: group)
        }
    }

    private func send(_ sequence: Int, _ intended: UInt64, in group: DispatchGroupBox) {
        let publisher = publishers[sequence % publishers.count]
        let text = MessageText(sequence: sequence, intended: intended).encoded(run: plan.run, bytes: plan.textBytes)
        // Nothing in it needs escaping.
        let data = #"{"channel_id":"\#(plan.channel)","client_id":"\#(plan.run)-\#(sequence)","text":"\#(text)"}"#
        let isMeasured = sequence >= plan.warmupMessages
        group.enter()
        Task {
            do {
                _ = try await publisher.rpc(method: SendMessage.method, data: Array(data.utf8))
                let now = Clock.now
                tally.acknowledged(after: now > intended ? now - intended : 0, isMeasured: isMeasured)
            } catch {
                tally.failed(sequence, "\(error)")
            }
            group.leave()
        }
    }
}
