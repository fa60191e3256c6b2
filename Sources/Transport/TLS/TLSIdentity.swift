import Metrics
import Synchronization
import TLS

/// Which certificate newcomers are shown: the one of two files, as they were when last read.
package final class TLSIdentity: Sendable {
    package let certificatePath: String
    package let keyPath: String
    let metrics: TLSMetrics
    /// Replaced on one thread while the loops read it; connections keep the one they began with.
    private let current: Mutex<TLSContext>

    /// - Throws: When the files are no certificate and its key.
    package init(
        certificatePath: String, keyPath: String, metrics factory: any MetricsFactory
    ) throws(TLSError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        metrics = TLSMetrics(factory)
        current = Mutex(try TLSContext(certificatePath: certificatePath, keyPath: keyPath))
        metrics.show(context)
    }

    package var context: TLSContext { current.withLock { $0 } }

    /// Reads the files again. From here on newcomers are shown what they hold; whoever is connected notices nothing.
    ///
    /// - Throws: When the files are no certificate and its key; then the former ones stay in use.
    package func reload() throws(TLSError) {
        do throws(TLSError) {
            let fresh = try TLSContext(certificatePath: certificatePath, keyPath: keyPath)
            current.withLock { $0 = fresh }
            metrics.reloads.increment()
            metrics.show(fresh)
        } catch {
            metrics.reloadFailures.increment()
            throw error
        }
    }
}

struct TLSMetrics: Sendable {
    let handshakes: Counter
    let failed: Counter
    let timedOut: Counter
    let reloads: Counter
    let reloadFailures: Counter
    let expiry: Gauge

    init(_ factory: any MetricsFactory) {
        handshakes = Counter(label: "belfry_tls_handshakes_total", factory: factory)
        failed = Counter(label: "belfry_tls_handshakes_failed_total", factory: factory)
        timedOut = Counter(label: "belfry_tls_handshakes_timed_out_total", factory: factory)
        reloads = Counter(label: "belfry_tls_reloads_total", factory: factory)
        reloadFailures = Counter(label: "belfry_tls_reload_failures_total", factory: factory)
        expiry = Gauge(label: "belfry_tls_certificate_expiry_seconds", factory: factory)
    }

    func show(_ context: TLSContext) {
        if let seconds = context.expiry { expiry.record(seconds) }
    }
}
