import ChatModel
import DequeModule
import Dispatch
import Synchronization

/// The deliveries to one webhook: one after the other, each until it is taken or given up.
///
/// What waits stands under a lock, because a queue of blocks could not be bounded; `post` is touched on `queue` only.
final class WebhookSender: @unchecked Sendable {
    private struct Delivery {
        let serial: UInt64
        let id: String
        let body: [UInt8]
        var attempts = 0
    }

    private struct Waiting {
        var target: WebhookTarget
        var deliveries: Deque<Delivery> = []
        var bytes = 0
        var lastSerial: UInt64 = 0
        /// Whether a turn on `queue` is under way or due.
        var isScheduled = false
        var isStopped = false
    }

    private let queue: DispatchQueue
    private let waiting: Mutex<Waiting>
    private let post: HTTPPost
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: WebhookDispatcher.RefusalReport
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    init(
        _ target: WebhookTarget, limits: WebhookLimits, metrics: WebhookMetrics,
        report: @escaping WebhookDispatcher.RefusalReport, clock: @escaping @Sendable () -> Int64
    ) {
        queue = DispatchQueue(label: "belfry.webhook.\(target.webhook.id)", qos: .utility)
        waiting = Mutex(Waiting(target: target))
        self.limits = limits
        self.metrics = metrics
        self.report = report
        post = HTTPPost(limits.destinations)
        self.clock = clock
    }

    /// Where deliveries go from the next attempt on, also those that wait.
    func update(_ target: WebhookTarget) { waiting.withLock { $0.target = target } }

    var events: WebhookEvents { waiting.withLock { $0.target.webhook.events } }

    /// Nothing waits but what its receiver has refused.
    var isIdle: Bool { waiting.withLock { ($0.deliveries.first?.attempts ?? 1) > 0 } }

    func stop() {
        waiting.withLock { waiting in
            waiting.isStopped = true
            waiting.deliveries = []
        }
    }

    func append(id: String, body: [UInt8]) {
        let (dropped, mustSchedule) = waiting.withLock { waiting in
            guard !waiting.isStopped else { return (0, false) }
            waiting.lastSerial += 1
            waiting.deliveries.append(Delivery(serial: waiting.lastSerial, id: id, body: body))
            waiting.bytes += body.count
            var dropped = 0
            while waiting.deliveries.count > limits.queueEvents || waiting.bytes > limits.queueBytes,
                let oldest = waiting.deliveries.popFirst()
            {
                waiting.bytes -= oldest.body.count
                dropped += 1
            }
            defer { waiting.isScheduled = true }
            return (dropped, !waiting.isScheduled)
        }
        if dropped > 0 { metrics.dropped.increment(by: dropped) }
        if mustSchedule { queue.async { self.work() } }
    }

    /// On `queue`: until nothing waits or the first in line has to wait.
    private func work() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let (delivery, target) = first() {
            if attempt(delivery, target) {
                metrics.delivered.increment()
                remove(delivery)
            } else {
                metrics.failures.increment()
                guard delivery.attempts + 1 < limits.attempts else {
                    metrics.dropped.increment()
                    remove(delivery)
                    continue
                }
                let delay = delay(after: delivery.attempts)
                noteFailure(of: delivery)
                return queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.work() }
            }
        }
    }

    private func first() -> (Delivery, WebhookTarget)? {
        waiting.withLock { waiting in
            guard let first = waiting.deliveries.first else {
                waiting.isScheduled = false
                return nil
            }
            return (first, waiting.target)
        }
    }

    /// It may have given way to newer ones meanwhile.
    private func remove(_ delivery: Delivery) {
        waiting.withLock { waiting in
            guard waiting.deliveries.first?.serial == delivery.serial else { return }
            waiting.deliveries.removeFirst()
            waiting.bytes -= delivery.body.count
        }
    }

    private func noteFailure(of delivery: Delivery) {
        waiting.withLock { waiting in
            guard waiting.deliveries.first?.serial == delivery.serial else { return }
            waiting.deliveries[0].attempts += 1
        }
    }

    private func attempt(_ delivery: Delivery, _ target: WebhookTarget) -> Bool {
        let timestamp = clock() / 1_000
        let signature = WebhookSignature(secret: target.secret)
            .header(id: delivery.id, timestamp: timestamp, body: delivery.body)
        let outcome = post.send(
            delivery.body, to: target.webhook.url,
            fields: [
                "Content-Type: application/json", "User-Agent: belfry", "Expect:", "webhook-id: \(delivery.id)",
                "webhook-timestamp: \(timestamp)", "webhook-signature: \(signature)",
            ], timeoutMilliseconds: limits.timeoutMilliseconds)
        switch outcome {
        case .status(let status): return (200...299).contains(status)
        case .noAnswer: return false
        case .refused(let address):
            metrics.refusedAddresses.increment()
            // Once for each event, however often it is tried.
            if delivery.attempts == 0 { report(target.webhook.id, address) }
            return false
        }
    }

    /// Milliseconds: doubled each time, and shortened by up to a half so that receivers are not hit in step.
    private func delay(after attempts: Int) -> Int {
        let full = min(limits.longestDelayMilliseconds, limits.firstDelayMilliseconds << min(attempts, 16))
        return Int.random(in: full / 2...max(full, 1))
    }
}
