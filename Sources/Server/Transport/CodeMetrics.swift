import ChatModel
import MetricTable
import Metrics
import WireProtocol

/// Counts errors and disconnects by the code sent to the client. Every code has a series from the start, so external
/// input never becomes a label.
struct CodeMetrics: Sendable {
    private let errors: [ErrorCode: Counter]
    private let disconnects: [DisconnectCode: Counter]

    init(_ factory: any MetricsFactory) {
        errors = Self.counters(.errors, ErrorCode.allCases, { "\($0.rawValue)" }, factory)
        disconnects = Self.counters(.disconnects, DisconnectCode.allCases, { "\($0.rawValue)" }, factory)
    }

    private static func counters<Code: Hashable>(
        _ metric: CounterMetric, _ codes: [Code], _ name: (Code) -> String, _ factory: any MetricsFactory
    ) -> [Code: Counter] {
        Dictionary(
            uniqueKeysWithValues: codes.map { code in
                (code, Counter(metric, factory, dimensions: [("code", name(code))]))
            })
    }

    func refused(_ code: ErrorCode) { errors[code]?.increment() }

    func closed(_ code: DisconnectCode) { disconnects[code]?.increment() }
}
