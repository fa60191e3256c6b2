import Metrics

struct WebhookMetrics: Sendable {
    let delivered: Counter
    let failures: Counter
    let dropped: Counter
    /// Events of a sharer that had used up its share.
    let droppedOverShare: Counter
    let refusedAddresses: Counter
    let skippedFrames: Counter
    let givenUp: Counter
    /// Currently stored.
    let deadLetters: Gauge
    /// Log frames from the position of the webhook furthest behind to the end.
    let lag: Gauge

    init(_ factory: any MetricsFactory) {
        delivered = Counter(label: "belfry_webhook_deliveries_total", factory: factory)
        failures = Counter(label: "belfry_webhook_failures_total", factory: factory)
        dropped = Counter(
            label: "belfry_webhook_dropped_total", dimensions: [("reason", "full")], factory: factory)
        droppedOverShare = Counter(
            label: "belfry_webhook_dropped_total", dimensions: [("reason", "share")], factory: factory)
        refusedAddresses = Counter(label: "belfry_webhook_addresses_refused_total", factory: factory)
        skippedFrames = Counter(label: "belfry_webhook_skipped_frames_total", factory: factory)
        givenUp = Counter(label: "belfry_webhook_given_up_total", factory: factory)
        deadLetters = Gauge(label: "belfry_webhook_dead_letters", factory: factory)
        lag = Gauge(label: "belfry_webhook_lag_frames", factory: factory)
    }
}
