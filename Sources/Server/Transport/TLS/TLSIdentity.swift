import MetricTable
import Metrics
import Synchronization
import TLS

/// The certificate for new connections, read from a certificate file and a key file.
package final class TLSIdentity: Sendable {
    package let certificatePath: String
    package let keyPath: String
    let metrics: TLSMetrics
    /// Replaced on one thread while the loops read it. Connections keep the one they started with.
    private let current: Mutex<TLSContext>

    /// - Throws: `TLSError` when the files are not a certificate and its key.
    package init(
        certificatePath: String, keyPath: String, metrics factory: any MetricsFactory
    ) throws(TLSError) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        metrics = TLSMetrics(factory)
        current = Mutex(try TLSContext(certificatePath: certificatePath, keyPath: keyPath))
        metrics.record(context)
    }

    package var context: TLSContext { current.withLock { $0 } }

    /// Reads the files again. New connections get the new certificate; existing ones are unaffected.
    ///
    /// - Throws: `TLSError` when the files are not a certificate and its key; the previous ones stay in use.
    package func reload() throws(TLSError) {
        do throws(TLSError) {
            let fresh = try TLSContext(certificatePath: certificatePath, keyPath: keyPath)
            current.withLock { $0 = fresh }
            metrics.reloads.increment()
            metrics.record(fresh)
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
        handshakes = Counter(.tlsHandshakes, factory)
        failed = Counter(.tlsHandshakesFailed, factory)
        timedOut = Counter(.tlsHandshakesTimedOut, factory)
        reloads = Counter(.tlsReloads, factory)
        reloadFailures = Counter(.tlsReloadFailures, factory)
        expiry = Gauge(.tlsCertificateExpirySeconds, factory)
    }

    func record(_ context: TLSContext) {
        if let seconds = context.expiry { expiry.record(seconds) }
    }
}
