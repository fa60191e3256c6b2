import CoreMetrics
import Logging
import TLS
import Transport

extension Configuration {
    /// An additional listener that uses TLS.
    public struct TLS: Sendable, Equatable {
        /// The address to listen on: an address literal or `localhost`; nil for the plain listener's host.
        public var host: String?
        /// The port to listen on; 0 picks a free one.
        public var port: UInt16
        /// The path of a PEM file: the server's certificate first, then the intermediates.
        public var certificatePath: String
        /// The path of a PEM file with the certificate's private key, without a passphrase.
        public var keyPath: String

        /// Creates the listener's options. The server reads the files when it starts.
        public init(host: String? = nil, port: UInt16, certificatePath: String, keyPath: String) {
            self.host = host
            self.port = port
            self.certificatePath = certificatePath
            self.keyPath = keyPath
        }

        /// Combines options that must be given together; returns nil when none is given.
        ///
        /// - Throws: When only some are given; the error names what is missing.
        package static func options(
            host: String?, port: UInt16?, certificatePath: String?, keyPath: String?
        ) throws(ConfigurationError) -> TLS? {
            let required = [
                ("--tls-port", port != nil), ("--tls-certificate", certificatePath != nil),
                ("--tls-key", keyPath != nil),
            ]
            guard host != nil || required.contains(where: \.1) else { return nil }
            guard let port, let certificatePath, let keyPath else {
                let missing = required.filter { !$0.1 }.map(\.0)
                throw ConfigurationError("TLS needs \(missing.joined(separator: " and "))")
            }
            return TLS(host: host, port: port, certificatePath: certificatePath, keyPath: keyPath)
        }
    }
}

extension Server {
    /// Reads the certificate and its key again, for new connections; existing ones are not affected.
    ///
    /// - Throws: When they cannot be used, or when there is no TLS listener. The previous ones stay in use.
    public func reloadCertificate() throws(ConfigurationError) {
        guard let identity else {
            throw ConfigurationError("cannot reload the certificate: TLS is not configured")
        }
        do throws(TLSError) {
            try identity.reload()
        } catch {
            logger.error("cannot reload the certificate", metadata: ["error": "\(error)"])
            throw ConfigurationError("\(error)")
        }
        logger.notice("certificate reloaded", metadata: ["path": "\(identity.certificatePath)"])
        Self.warnIfExpired(identity, logger)
    }

    static func identity(
        _ configuration: Configuration, _ metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> TLSIdentity? {
        guard let tls = configuration.tls else { return nil }
        do throws(TLSError) {
            let identity = try TLSIdentity(
                certificatePath: tls.certificatePath, keyPath: tls.keyPath, metrics: metrics)
            warnIfExpired(identity, logger)
            return identity
        } catch {
            throw ConfigurationError("\(error)")
        }
    }

    /// Only a warning, because some clients may still accept the certificate, and the next reload can fix it.
    private static func warnIfExpired(_ identity: TLSIdentity, _ logger: Logger) {
        guard !identity.context.isCurrent else { return }
        logger.warning(
            "the certificate has expired or is not valid yet", metadata: ["path": "\(identity.certificatePath)"])
    }
}
