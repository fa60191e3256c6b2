import MetricTable
import Metrics

/// Metrics of all connections.
package struct ConnectionMetrics: Sendable {
    let accepted: Counter
    private let refusals: [ConnectionCensus.Refusal: Counter]
    let commandsRefused: Counter
    /// Guests refused because their address created too many.
    let guestsRefused: Counter
    /// Requests without credentials refused because their address sent too many.
    let strangersRefused: Counter
    let open: Meter
    /// Open WebSockets that use the Protobuf form.
    let protobufConnections: Meter
    let messagesIn: Counter
    let deliveries: Counter
    let slow: Counter
    let transientsDropped: Counter
    let violations: Counter
    let outboxBytes: Gauge
    /// Times a body was not read further because its handler was slower.
    let routePauses: Counter
    let compression: CompressionMetrics
    let codes: CodeMetrics

    package init(_ factory: any MetricsFactory) {
        accepted = Counter(.connectionsAccepted, factory)
        refusals = Dictionary(
            uniqueKeysWithValues: ConnectionCensus.Refusal.allCases.map { refusal in
                (refusal, Counter(.connectionsRefused, factory, dimensions: [("reason", refusal.rawValue)]))
            })
        commandsRefused = Counter(.commandsRefused, factory)
        guestsRefused = Counter(.guestsRefused, factory)
        strangersRefused = Counter(.strangersRefused, factory)
        open = Meter(.connections, factory)
        protobufConnections = Meter(.protobufConnections, factory)
        messagesIn = Counter(.messagesReceived, factory)
        deliveries = Counter(.deliveries, factory)
        slow = Counter(.slowConsumers, factory)
        transientsDropped = Counter(.transientsDropped, factory)
        violations = Counter(.protocolViolations, factory)
        compression = CompressionMetrics(factory)
        routePauses = Counter(.routePauses, factory)
        codes = CodeMetrics(factory)
        outboxBytes = Gauge(.outboxBytesAtOverflow, factory)
    }

    func refuse(_ refusal: ConnectionCensus.Refusal) { refusals[refusal]?.increment() }
}
