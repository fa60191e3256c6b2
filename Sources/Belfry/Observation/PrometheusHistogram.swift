import CoreMetrics
import Synchronization

/// Counts values in fixed buckets: a cumulative `_bucket` per upper bound, `_sum` and `_count`.
///
/// A lock keeps the three consistent, which is fast enough for a few thousand values per second.
final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusValue {
    /// Upper bounds, inclusive and ascending. Values above all of them count under `+Inf`.
    enum Buckets: Sendable {
        /// 100 µs to 10 s: from a fast sync to what clients perceive as an outage.
        case seconds
        /// 1 to 8,192, doubling.
        case sizes

        var bounds: [Double] {
            switch self {
            case .seconds:
                [
                    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
                ]
            case .sizes: (0...13).map { Double(1 << $0) }
            }
        }
    }

    struct State {
        /// Counts per bucket, not cumulative; the last counts values above all bounds.
        var counts: [UInt64]
        var sum = 0.0
    }

    let bounds: [Double]
    let state: Mutex<State>

    init(of buckets: Buckets) {
        bounds = buckets.bounds
        state = Mutex(State(counts: Array(repeating: 0, count: buckets.bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // One non-finite value would permanently spoil the sum.
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] &+= 1
            state.sum += value
        }
    }

    var samples: [PrometheusSample] {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        var samples: [PrometheusSample] = []
        for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? prometheusText(bounds[index]) : "+Inf"
            samples.append(("_bucket", "le=\"\(bound)\"", String(total)))
        }
        return samples + [("_sum", "", prometheusText(sum)), ("_count", "", String(total))]
    }
}
