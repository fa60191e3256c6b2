/// A row of the metric table: the description of a metric in `/metrics` and in the metrics article.
///
/// The table has an enumeration for each kind of instrument. Instruments are created from their cases, as in
/// `Counter(.commands, factory)`, so every metric has a row and the right kind. A case has the name of its metric,
/// without `belfry_` and `_total`.
package struct Metric: Sendable, Equatable {
    /// The metric's type in Prometheus.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package let name: String
    package let kind: Kind
    /// The text of the `HELP` line.
    package let help: String
    /// The names of the labels. Their values come from fixed sets in the code or from the configuration, never from
    /// clients.
    package let labels: [String]

    init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }

    /// All rows, sorted by name.
    package static let all: [Metric] = {
        let rows: [[Metric]] = [
            CounterMetric.allCases.map(\.row), GaugeMetric.allCases.map(\.row), MeterMetric.allCases.map(\.row),
            TimerMetric.allCases.map(\.row), RecorderMetric.allCases.map(\.row),
        ]
        return rows.joined().sorted { $0.name < $1.name }
    }()

    /// The help texts by name.
    package static let helps = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.help) })

    /// Traps unless a series has exactly the labels of its row, in order.
    func checkLabels(of dimensions: [(String, String)]) {
        precondition(dimensions.map { $0.0 } == labels, "\(name) has the labels \(labels)")
    }
}
