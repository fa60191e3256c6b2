import BelfryClient
import Histogram
import Synchronization

/// What the subscribers on one loop have heard, together.
///
/// Touched on the queue of `loop` only, until the run is over; the counter may be read from anywhere.
final class LoopTally: @unchecked Sendable {
    let loop: ClientLoop
    /// First deliveries of test messages.
    let delivered = Atomic<Int>(0)
    /// Nanoseconds from the intended time to the delivery, of the measured messages; for each stretch of them.
    private(set) var latencies: [Histogram<UInt64>]
    private let stretch: Int

    /// - Parameters:
    ///   - stretch: How many messages are told apart from the next as many.
    ///   - count: How many such stretches there are.
    init(_ loop: ClientLoop, stretch: Int = .max, count: Int = 1) {
        self.loop = loop
        self.stretch = stretch
        latencies = Array(repeating: .latency(), count: count)
    }

    func note(latency nanoseconds: UInt64, of sequence: Int) {
        let number = sequence / stretch
        if latencies.indices.contains(number) { _ = latencies[number].record(nanoseconds) }
    }

    func noteDelivery() { delivered.add(1, ordering: .relaxed) }
}

extension Histogram<UInt64> {
    /// From 1 µs to 100 s with three digits.
    static func latency() -> Histogram<UInt64> {
        var histogram = Histogram<UInt64>(
            lowestDiscernibleValue: 1_000, highestTrackableValue: 100_000_000_000,
            numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
        return histogram
    }
}
