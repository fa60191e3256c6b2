import CoreMetrics
import MetricTable
import Synchronization

/// Collects the server's metrics through the swift-metrics façade and renders them in Prometheus's text format 0.0.4.
///
/// Each server has its own registry, so that two servers in one process keep separate metrics. A lock guards the table
/// of handlers, for registration and rendering; counting itself is atomic.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    private struct Series {
        let labels: [(String, String)]
        let value: any PrometheusValue
    }

    private struct Family {
        let type: String
        var series: [Series]
    }

    private let families = Mutex<[String: Family]>([:])

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        register(label, dimensions, type: "counter") { PrometheusCounter() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        register(label, dimensions, type: "gauge") { PrometheusGauge() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return register(label, dimensions, type: "histogram") { PrometheusHistogram(of: .sizes) } }
        return register(label, dimensions, type: "gauge") { PrometheusGauge() }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        register(label, dimensions, type: "histogram") { PrometheusHistogram(of: .seconds) }
    }

    /// Removes a series whose label value no longer exists.
    package func destroyCounter(_ handler: any CounterHandler) {
        families.withLock { families in
            for name in families.keys { families[name]?.series.removeAll { $0.value === handler } }
        }
    }
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the existing handler for the label and dimensions, or adds one.
    private func register<Value: PrometheusValue>(
        _ label: String, _ labels: [(String, String)], type: String, _ make: () -> Value
    ) -> Value {
        families.withLock { families in
            var family = families[label] ?? Family(type: type, series: [])
            let known = family.series.first { series in
                series.labels.elementsEqual(labels) { $0 == $1 }
            }
            if let value = known?.value as? Value { return value }
            let value = make()
            family.series.append(Series(labels: labels, value: value))
            families[label] = family
            return value
        }
    }

    /// - Returns: Nil when no timer of this metric has these labels.
    func histogram(_ metric: TimerMetric, _ labels: [(String, String)]) -> PrometheusHistogram? {
        families.withLock { families in
            let series = families[metric.row.name]?.series.first { $0.labels.elementsEqual(labels) { $0 == $1 } }
            return series?.value as? PrometheusHistogram
        }
    }

    /// Returns the text of `/metrics`, sorted by family name.
    package func text() -> String {
        families.withLock { families in
            var text = ""
            for (name, family) in families.sorted(by: { $0.key < $1.key }) {
                if let help = Metric.helps[name] { text += "# HELP \(name) \(help)\n" }
                text += "# TYPE \(name) \(family.type)\n"
                for series in family.series {
                    let labels = series.labels.map { "\($0)=\"\(Self.escape($1))\"" }.joined(separator: ",")
                    for sample in series.value.samples {
                        let all = [labels, sample.label].filter { !$0.isEmpty }.joined(separator: ",")
                        text += name + sample.suffix + (all.isEmpty ? " " : "{\(all)} ") + sample.value + "\n"
                    }
                }
            }
            return text
        }
    }

    private static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

/// One line of a series: the suffix of the metric's name, an additional label (`le="1"`), and the value.
typealias PrometheusSample = (suffix: String, label: String, value: String)

protocol PrometheusValue: AnyObject, Sendable {
    var samples: [PrometheusSample] { get }
}

func prometheusText(_ value: Double) -> String {
    guard let whole = Int64(exactly: value) else { return String(value) }
    return String(whole)
}

private final class PrometheusCounter: CounterHandler, PrometheusValue {
    private let count = Atomic<Int64>(0)
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
    var samples: [PrometheusSample] { [("", "", String(count.load(ordering: .relaxed)))] }
}

private final class PrometheusGauge: RecorderHandler, MeterHandler, PrometheusValue {
    private let bits = Atomic<UInt64>(0)

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }

    private func add(_ amount: Double) {
        var seen = bits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: seen) + amount).bitPattern
            let (exchanged, original) = bits.compareExchange(expected: seen, desired: sum, ordering: .relaxed)
            if exchanged { return }
            seen = original
        }
    }

    var samples: [PrometheusSample] {
        [("", "", prometheusText(Double(bitPattern: bits.load(ordering: .relaxed))))]
    }
}
