import MetricTable
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
        open = Gauge(.filesOpen, factory)
        refused = Counter(.filesRefused, factory)
        slow = Counter(.downloadsSlow, factory)
    }
}

/// Results of making thumbnails.
struct ThumbnailMetrics: Sendable {
    private let made: Counter
    private let impossible: Counter
    private let refused: Counter
    let waiting: Meter
    /// Time to make one, without the time it was queued.
    let time: Timer

    init(_ factory: any MetricsFactory) {
        func counter(_ result: String) -> Counter {
            Counter(.thumbnails, factory, dimensions: [("result", result)])
        }
        made = counter("made")
        impossible = counter("impossible")
        refused = counter("refused")
        waiting = Meter(.thumbnailsWaiting, factory)
        time = Timer(.thumbnailSeconds, factory)
    }

    func count(_ result: ThumbnailMaker.Result) {
        switch result {
        case .made: made.increment()
        case .impossible: impossible.increment()
        case .busy: refused.increment()
        }
    }
}
