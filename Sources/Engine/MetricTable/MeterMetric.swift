import CoreMetrics

/// Gauges that are incremented and decremented: the number of things open, in progress or waiting.
package enum MeterMetric: CaseIterable, Sendable {
    case adminRequests, authentications, calls, compressedConnections, connections, eventListeners, eventTails
    case protobufConnections, routeRequests, thumbnailsWaiting, tokensWaiting

    package var row: Metric {
        switch self {
        case .adminRequests:
            Metric(
                "belfry_admin_requests", .gauge,
                "Requests to the admin listener in progress, including tails of events.")
        case .authentications:
            Metric(
                "belfry_authentications", .gauge,
                "Calls to the host's authentication in progress; only when embedded.")
        case .calls: Metric("belfry_calls", .gauge, "Commands of the host's program in progress.")
        case .compressedConnections:
            Metric("belfry_compressed_connections", .gauge, "Open connections that negotiated permessage-deflate.")
        case .connections: Metric("belfry_connections", .gauge, "Open connections, WebSocket and HTTP.")
        case .eventListeners:
            Metric("belfry_event_listeners", .gauge, "Listeners in the host's program that receive all durable events.")
        case .eventTails: Metric("belfry_event_tails", .gauge, "Open tails of events on the admin listener.")
        case .protobufConnections: Metric("belfry_protobuf_connections", .gauge, "Open connections that use Protobuf.")
        case .routeRequests:
            Metric("belfry_route_requests", .gauge, "Requests to the host's routes in progress; only when embedded.")
        case .thumbnailsWaiting: Metric("belfry_thumbnails_waiting", .gauge, "Thumbnails in progress or waiting.")
        case .tokensWaiting:
            Metric("belfry_tokens_waiting", .gauge, "Tokens being verified or waiting for verification.")
        }
    }
}

extension Meter {
    /// - Parameter dimensions: A value for each label of the row, in order.
    package convenience init(
        _ metric: MeterMetric, _ factory: any MetricsFactory, dimensions: [(String, String)] = []
    ) {
        let row = metric.row
        row.checkLabels(of: dimensions)
        self.init(label: row.name, dimensions: dimensions, factory: factory)
    }
}
