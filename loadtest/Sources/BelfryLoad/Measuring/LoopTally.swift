import BelfryClient
import Histogram
import Synchronization

/// Counts and times the deliveries to all subscribers on one queue or thread.
///
/// Confined to that queue or thread until the run is over; the counter may be read from anywhere.
class DeliveryTally: @unchecked Sendable {
    /// First deliveries of test messages.
    let delivered = Atomic<Int>(0)
    /// Nanoseconds from the intended time to the delivery of the measured messages, per stretch.
    private(set) var latencies: [Histogram<UInt64>]

    /// - Parameter stretches: The number of stretches of the run.
    init(stretches: Int) {
        latencies = Array(repeating: .latency(), count: stretches)
    }

    /// - Parameter stretch: nil for a delivery that is not measured.
    func recordDelivery(after nanoseconds: UInt64, in stretch: Int?) {
        delivered.add(1, ordering: .relaxed)
        if let stretch, latencies.indices.contains(stretch) { _ = latencies[stretch].record(nanoseconds) }
    }
}

/// The tally of the clients on one loop, confined to its queue.
final class LoopTally: DeliveryTally, @unchecked Sendable {
    let loop: ClientLoop

    init(_ loop: ClientLoop, stretches: Int) {
        self.loop = loop
        super.init(stretches: stretches)
    }
}

extension [LoopTally] {
    var delivered: Int { reduce(0) { $0 + $1.delivered.load(ordering: .relaxed) } }

    /// Returns the latencies of all loops, per stretch; call it once the loops are idle.
    func latencies() -> [Histogram<UInt64>] {
        guard let first else { return [] }
        return first.latencies.indices.map { stretch in Histogram(merging: map { $0.latencies[stretch] }) }
    }
}
