/// A row of the table of metrics: what `/metrics` and the article on metrics say about one.
///
/// The table has an enumeration for each kind of instrument, and an instrument is created from its case, as in
/// `Counter(.commands, factory)`, so no metric lacks a row or has the wrong kind. A case is named after its metric,
/// without `belfry_` and `_total`.
package struct Metric: Sendable, Equatable {
    /// The type that Prometheus knows.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package let name: String
    package let kind: Kind
    /// The text of the `HELP` line.
    package let help: String
    /// Names of labels. Their values come from fixed sets of the program and from the configuration, never from
    /// clients.
    package let labels: [String]

    init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }

    /// Every row, by name.
    package static let all: [Metric] = {
        let rows: [[Metric]] = [
            CounterMetric.allCases.map(\.row), GaugeMetric.allCases.map(\.row), MeterMetric.allCases.map(\.row),
            TimerMetric.allCases.map(\.row), RecorderMetric.allCases.map(\.row),
        ]
        return rows.joined().sorted { $0.name < $1.name }
    }()

    /// The help texts by name.
    package static let helps = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.help) })

    /// A series has a value for each label of its row, and no other.
    func checkLabels(of dimensions: [(String, String)]) {
        precondition(dimensions.map { $0.0 } == labels, "\(name) has the labels \(labels)")
    }
}
