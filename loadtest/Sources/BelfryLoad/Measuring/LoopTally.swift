import BelfryClient
import Histogram
import Synchronization

/// What the listeners on one queue or thread have heard, together.
///
/// Touched there only, until the run is over; the counter may be read from anywhere.
class DeliveryTally: @unchecked Sendable {
    /// First deliveries of test messages.
    let delivered = Atomic<Int>(0)
    /// Nanoseconds from the intended time to the delivery, of the measured messages; for each stretch of them.
    private(set) var latencies: [Histogram<UInt64>]

    /// - Parameter stretches: How many parts of the run are told apart.
    init(stretches: Int) {
        latencies = Array(repeating: .latency(), count: stretches)
    }

    /// - Parameter stretch: nil for what is not measured.
    func noteDelivery(after nanoseconds: UInt64, in stretch: Int?) {
        delivered.add(1, ordering: .relaxed)
        if let stretch, latencies.indices.contains(stretch) { _ = latencies[stretch].record(nanoseconds) }
    }
}

/// That of the clients on one loop, touched on its queue.
final class LoopTally: DeliveryTally, @unchecked Sendable {
    let loop: ClientLoop

    init(_ loop: ClientLoop, stretches: Int) {
        self.loop = loop
        super.init(stretches: stretches)
    }
}

extension [LoopTally] {
    var delivered: Int { reduce(0) { $0 + $1.delivered.load(ordering: .relaxed) } }

    /// Of all loops, for each stretch. When the loops are at rest.
    func latencies() -> [Histogram<UInt64>] {
        guard let first else { return [] }
        return first.latencies.indices.map { stretch in Histogram(merging: map { $0.latencies[stretch] }) }
    }
}
