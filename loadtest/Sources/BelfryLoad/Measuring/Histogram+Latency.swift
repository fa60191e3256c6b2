import Histogram
import LoadReport

/// Latencies, recorded in nanoseconds and reported in milliseconds.
extension Histogram<UInt64> {
    /// Creates a histogram from 1 µs to 100 s with three significant digits.
    static func latency() -> Histogram<UInt64> {
        var histogram = Histogram<UInt64>(
            lowestDiscernibleValue: 1_000, highestTrackableValue: 100_000_000_000,
            numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
        return histogram
    }

    /// Merges the values of all histograms, as percentiles cannot be averaged.
    init(merging histograms: some Sequence<Histogram<UInt64>>) {
        self = .latency()
        for each in histograms where each.totalCount > 0 { add(each) }
    }

    func milliseconds(_ percentile: Double) -> Double { Double(valueAtPercentile(percentile)) / 1e6 }

    func distribution(_ name: String) -> Report.Distribution {
        let points = totalCount == 0 ? [] : Self.percentiles.map { Report.Distribution.Point($0, milliseconds($0)) }
        return Report.Distribution(name, unit: "ms", count: Int(clamping: totalCount), points: points)
    }

    private static let percentiles: [Double] = [0, 50, 75, 90, 95, 99, 99.9, 99.99, 100]
}

/// The course of a run over time, from the histograms of its stretches.
struct OverTime {
    let stretches: [Histogram<UInt64>]
    /// The length of a stretch in seconds.
    let stretchSeconds: Int

    /// - Parameter what: What was counted, such as `deliveries`.
    /// - Parameter moment: The time that determines the stretch of an event.
    func series(_ what: String, at moment: String = "intended time") -> [Report.Series] {
        [
            Report.Series(
                "\(what) per second, by \(moment)", over: "seconds", unit: "/s",
                points: points { Double($0.totalCount) / Double(stretchSeconds) }),
            Report.Series(
                "99th percentile, by \(moment)", over: "seconds", unit: "ms",
                points: points { $0.milliseconds(99) }),
        ]
    }

    private func points(_ value: (Histogram<UInt64>) -> Double) -> [Report.Series.Point] {
        stretches.enumerated().map { Report.Series.Point(Double(($0 + 1) * stretchSeconds), value($1)) }
    }
}
