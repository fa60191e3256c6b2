import Histogram
import LoadReport

/// The times at which clients reconnected and recovered, in nanoseconds after the common start.
struct StormTimes {
    private(set) var connected = Histogram<UInt64>.latency()
    private(set) var recovered = Histogram<UInt64>.latency()
    private var recoveries: [UInt64] = []

    mutating func add(connected: [UInt64], recovered: [UInt64]) {
        for each in connected { _ = self.connected.record(each) }
        for each in recovered { _ = self.recovered.record(each) }
        recoveries += recovered
    }

    var connectedCount: Int { Int(clamping: connected.totalCount) }
    var recoveredCount: Int { recoveries.count }

    /// The number of recovered clients over time; at most 201 points.
    var series: Report.Series {
        let sorted = recoveries.sorted()
        let step = max(1, (sorted.count + 199) / 200)
        var points = [Report.Series.Point(0, 0)]
        for index in stride(from: step - 1, to: sorted.count, by: step) {
            points.append(.init(Double(sorted[index]) / 1e9, Double(index + 1)))
        }
        if let last = sorted.last, points.last?.y != Double(sorted.count) {
            points.append(.init(Double(last) / 1e9, Double(sorted.count)))
        }
        return Report.Series("clients that have recovered", over: "seconds", unit: "", points: points)
    }
}
