import Histogram

/// A histogram as it goes from one process to another: how often which value was recorded.
struct CountedValues: Codable, Equatable, Sendable {
    private var values: [UInt64] = []
    private var counts: [UInt64] = []

    init(_ histogram: Histogram<UInt64>) {
        for recorded in histogram.recordedValues() {
            values.append(histogram.lowestEquivalentForValue(recorded.value))
            counts.append(UInt64(recorded.count))
        }
        // The greatest is told exactly, as the histogram knows it.
        if let last = counts.indices.last {
            counts[last] -= 1
            values.append(histogram.maxRecorded)
            counts.append(1)
        }
    }

    /// Values fall into the places they came from.
    var histogram: Histogram<UInt64> {
        var histogram = Histogram<UInt64>.latency()
        for (value, count) in zip(values, counts) where count > 0 { _ = histogram.record(value, count: count) }
        return histogram
    }
}
