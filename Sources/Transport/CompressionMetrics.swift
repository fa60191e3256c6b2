import Metrics

/// What compression costs and brings.
package struct CompressionMetrics: Sendable {
    /// Open connections that have agreed to it.
    let connections: Meter
    /// Messages before and after, each counted once for all who get it.
    let bytesIn: Counter
    let bytesOut: Counter
    /// Connections that ended because of what they sent compressed.
    let refusals: Counter

    package init(_ factory: any MetricsFactory) {
        connections = Meter(label: "belfry_compressed_connections", factory: factory)
        bytesIn = Counter(label: "belfry_deflate_bytes_in_total", factory: factory)
        bytesOut = Counter(label: "belfry_deflate_bytes_out_total", factory: factory)
        refusals = Counter(label: "belfry_inflate_refusals_total", factory: factory)
    }
}
