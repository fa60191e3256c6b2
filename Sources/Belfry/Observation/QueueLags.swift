import Dispatch
import Metrics
import Synchronization

/// Measures how long a closure waits in each of the server's queues before it runs: once a second, and no more than one
/// closure in a queue at a time.
final class QueueLags: Sendable {
    /// How a queue is entered, from any thread.
    typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let probes: [Probe]

    /// - Parameter queues: The queues by name, as many as there are processors or so: each is a label's value.
    init(_ queues: [(name: String, post: Post)], metrics factory: any MetricsFactory) {
        probes = queues.map { queue in
            Probe(
                lag: Timer(label: "belfry_queue_lag_seconds", dimensions: [("queue", queue.name)], factory: factory),
                post: queue.post)
        }
    }

    func sample() {
        for probe in probes { probe.sample() }
    }

    private final class Probe: Sendable {
        private let lag: Timer
        private let post: Post
        /// A queue that hangs gets no second closure; how long it did is told when it goes on.
        private let isWaiting = Atomic<Bool>(false)

        init(lag: Timer, post: @escaping Post) {
            self.lag = lag
            self.post = post
        }

        func sample() {
            guard !isWaiting.exchange(true, ordering: .relaxed) else { return }
            let began = DispatchTime.now().uptimeNanoseconds
            post { [self] in
                lag.recordNanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds &- began))
                isWaiting.store(false, ordering: .relaxed)
            }
        }
    }
}
