import ChatEngine
import ChatModel
import EventLoops
import Metrics
import Synchronization

/// Carries events to the webhooks that want them: signed, in order, again and again until they are taken.
///
/// Each webhook has a queue of its own; one that does not answer holds up no other.
package final class WebhookDispatcher: WebhookPort {
    private let senders = Mutex<[String: WebhookSender]>([:])
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: RefusalReport
    private let clock: @Sendable () -> Int64

    /// Told the webhook's id, and the address that its URL stands for and that deliveries may not go to.
    package typealias RefusalReport = @Sendable (String, IPAddress) -> Void

    /// - Parameters:
    ///   - report: Called on any queue, once for each event.
    ///   - clock: Milliseconds since 1970.
    package init(
        limits: WebhookLimits, metrics factory: any MetricsFactory, report: @escaping RefusalReport,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits
        self.report = report
        self.clock = clock
        metrics = WebhookMetrics(factory)
    }

    package func configure(_ targets: [WebhookTarget]) {
        senders.withLock { senders in
            let ids = Set(targets.map(\.webhook.id))
            for (id, sender) in senders where !ids.contains(id) {
                sender.stop()
                senders[id] = nil
            }
            for target in targets {
                if let sender = senders[target.webhook.id] {
                    sender.update(target)
                } else {
                    senders[target.webhook.id] = WebhookSender(
                        target, limits: limits, metrics: metrics, report: report, clock: clock)
                }
            }
        }
    }

    package func wants(_ type: String) -> Bool {
        senders.withLock { $0.values.contains { $0.events.includes(type) } }
    }

    package func deliver(_ type: String, id: String, body: [UInt8]) {
        for sender in senders.withLock({ Array($0.values) }) where sender.events.includes(type) {
            sender.append(id: id, body: body)
        }
    }

    /// Nothing waits but what its receiver has refused.
    package var isIdle: Bool { senders.withLock { $0.values.allSatisfy(\.isIdle) } }

    package func stop() {
        senders.withLock { senders in
            for sender in senders.values { sender.stop() }
            senders = [:]
        }
    }
}

struct WebhookMetrics: Sendable {
    let delivered: Counter
    let failures: Counter
    let dropped: Counter
    let refusedAddresses: Counter

    init(_ factory: any MetricsFactory) {
        delivered = Counter(label: "belfry_webhook_deliveries_total", factory: factory)
        failures = Counter(label: "belfry_webhook_failures_total", factory: factory)
        dropped = Counter(label: "belfry_webhook_dropped_total", factory: factory)
        refusedAddresses = Counter(label: "belfry_webhook_addresses_refused_total", factory: factory)
    }
}
