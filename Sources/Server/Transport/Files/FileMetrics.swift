import MetricTable
import Metrics

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

struct ThumbnailMetrics: Sendable {
    private let made: Counter
    private let impossible: Counter
    private let refused: Counter
    let waiting: Meter
    /// Time to make a thumbnail, not counting the time in the queue.
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
