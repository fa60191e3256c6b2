import Metrics

/// Upload and download metrics.
struct FileMetrics: Sendable {
    /// Transfers in progress.
    let open: Gauge
    /// Transfers refused because too many were in progress.
    let refused: Counter
    /// Downloads ended because the peer stopped reading.
    let slow: Counter

    init(_ factory: any MetricsFactory) {
        open = Gauge(label: "belfry_files_open", factory: factory)
        refused = Counter(label: "belfry_files_refused_total", factory: factory)
        slow = Counter(label: "belfry_downloads_slow_total", factory: factory)
    }
}
