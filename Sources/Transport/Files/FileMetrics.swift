import Metrics

/// How uploads and downloads go.
struct FileMetrics: Sendable {
    /// Under way.
    let open: Gauge
    /// Not begun, for too many were under way.
    let refused: Counter
    /// Downloads that were ended because nobody read them.
    let slow: Counter

    init(_ factory: any MetricsFactory) {
        open = Gauge(label: "belfry_files_open", factory: factory)
        refused = Counter(label: "belfry_files_refused_total", factory: factory)
        slow = Counter(label: "belfry_downloads_slow_total", factory: factory)
    }
}
