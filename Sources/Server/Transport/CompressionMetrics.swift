import Metrics

/// The cost and benefit of compression.
package struct CompressionMetrics: Sendable {
    /// Open connections that negotiated it.
    let connections: Meter
    /// Bytes of messages before and after compression, each message counted once for all recipients.
    let bytesIn: Counter
    let bytesOut: Counter
    /// Connections closed because of compressed data they sent.
    let refusals: Counter

    package init(_ factory: any MetricsFactory) {
        connections = Meter(label: "belfry_compressed_connections", factory: factory)
        bytesIn = Counter(label: "belfry_deflate_bytes_in_total", factory: factory)
        bytesOut = Counter(label: "belfry_deflate_bytes_out_total", factory: factory)
        refusals = Counter(label: "belfry_inflate_refusals_total", factory: factory)
    }
}
