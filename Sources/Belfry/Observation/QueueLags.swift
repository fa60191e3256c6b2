import Dispatch
import MetricTable
import Metrics
import Synchronization

/// Measures, once a second, how long a closure waits in each of the server's queues before it runs. Each queue has at
/// most one such closure outstanding.
final class QueueLags: Sendable {
    /// Submits a closure to a queue, from any thread.
    typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let probes: [Probe]

    /// - Parameter queues: The queues by name, which becomes a label value; about as many as there are processors.
    init(_ queues: [(name: String, post: Post)], metrics factory: any MetricsFactory) {
        probes = queues.map { queue in
            Probe(
                lag: Timer(.queueLagSeconds, factory, dimensions: [("queue", queue.name)]),
                post: queue.post)
        }
    }

    func sample() {
        for probe in probes { probe.sample() }
    }

    private final class Probe: Sendable {
        private let lag: Timer
        private let post: Post
        /// A hanging queue gets no second closure. Its lag is recorded once it resumes.
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
