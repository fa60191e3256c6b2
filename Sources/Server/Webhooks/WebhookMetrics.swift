import MetricTable
import Metrics

struct WebhookMetrics: Sendable {
    let delivered: Counter
    let failures: Counter
    let dropped: Counter
    /// Events dropped because their sharer had used up its share.
    let droppedOverShare: Counter
    let refusedAddresses: Counter
    let skippedFrames: Counter
    let givenUp: Counter
    /// The number of stored dead letters.
    let deadLetters: Gauge
    /// Log frames from the position of the webhook furthest behind to the end.
    let lag: Gauge

    init(_ factory: any MetricsFactory) {
        delivered = Counter(.webhookDeliveries, factory)
        failures = Counter(.webhookFailures, factory)
        dropped = Counter(.webhookDropped, factory, dimensions: [("reason", "full")])
        droppedOverShare = Counter(.webhookDropped, factory, dimensions: [("reason", "share")])
        refusedAddresses = Counter(.webhookAddressesRefused, factory)
        skippedFrames = Counter(.webhookSkippedFrames, factory)
        givenUp = Counter(.webhookGivenUp, factory)
        deadLetters = Gauge(.webhookDeadLetters, factory)
        lag = Gauge(.webhookLagFrames, factory)
    }
}
