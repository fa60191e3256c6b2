import Metrics

/// What becomes of smaller images that are to be made.
struct ThumbnailMetrics: Sendable {
    private let made: Counter
    private let impossible: Counter
    private let refused: Counter
    let waiting: Meter
    /// From the beginning of the work to its end, apart from what waited before.
    let time: Timer

    init(_ factory: any MetricsFactory) {
        func counter(_ result: String) -> Counter {
            Counter(label: "belfry_thumbnails_total", dimensions: [("result", result)], factory: factory)
        }
        made = counter("made")
        impossible = counter("impossible")
        refused = counter("refused")
        waiting = Meter(label: "belfry_thumbnails_waiting", factory: factory)
        time = Timer(label: "belfry_thumbnail_seconds", factory: factory)
    }

    func count(_ result: ThumbnailMaker.Result) {
        switch result {
        case .made: made.increment()
        case .impossible: impossible.increment()
        case .busy: refused.increment()
        }
    }
}
