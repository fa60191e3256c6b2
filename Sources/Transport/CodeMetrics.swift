import Metrics
import WireProtocol

/// What went wrong for clients, by the codes they were told. One series for each row of the two tables, from the start:
/// nothing that comes from outside is a label.
struct CodeMetrics: Sendable {
    private let errors: [ErrorCode: Counter]
    private let disconnects: [DisconnectCode: Counter]

    init(_ factory: any MetricsFactory) {
        errors = Self.counters("belfry_errors_total", ErrorCode.allCases, { "\($0.rawValue)" }, factory)
        disconnects = Self.counters("belfry_disconnects_total", DisconnectCode.allCases, { "\($0.rawValue)" }, factory)
    }

    private static func counters<Code: Hashable>(
        _ label: String, _ codes: [Code], _ name: (Code) -> String, _ factory: any MetricsFactory
    ) -> [Code: Counter] {
        Dictionary(
            uniqueKeysWithValues: codes.map { code in
                (code, Counter(label: label, dimensions: [("code", name(code))], factory: factory))
            })
    }

    /// A command or a request was answered with an error.
    func refused(_ code: ErrorCode) { errors[code]?.increment() }

    /// The server closes a connection with a code of the client protocol.
    func closed(_ code: DisconnectCode) { disconnects[code]?.increment() }
}
