import Histogram

/// A histogram in a form that can be sent between processes: the values and how often each was recorded.
struct CountedValues: Codable, Equatable, Sendable {
    private var values: [UInt64] = []
    private var counts: [UInt64] = []

    init(_ histogram: Histogram<UInt64>) {
        for recorded in histogram.recordedValues() {
            values.append(histogram.lowestEquivalentForValue(recorded.value))
            counts.append(UInt64(recorded.count))
        }
        // The greatest value is exact, as in the histogram.
        if let last = counts.indices.last {
            counts[last] -= 1
            values.append(histogram.maxRecorded)
            counts.append(1)
        }
    }

    /// A histogram with the same buckets.
    var histogram: Histogram<UInt64> {
        var histogram = Histogram<UInt64>.latency()
        for (value, count) in zip(values, counts) where count > 0 { _ = histogram.record(value, count: count) }
        return histogram
    }
}
