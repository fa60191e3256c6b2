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
    /// Nanoseconds from the intended time to the delivery, of the measured messages.
    private(set) var latency = Histogram<UInt64>.latency()

    init(_ loop: ClientLoop) { self.loop = loop }

    func note(latency nanoseconds: UInt64) { _ = latency.record(nanoseconds) }
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
