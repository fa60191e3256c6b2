import API
import Logging
import MetricTable
import Metrics

/// Verifies a server's tokens and refreshes its public keys.
final class TokenKeys: Sendable {
    let verifier: TokenVerifier
    /// The verifier, with a limit on waiting tokens.
    let checker: BoundedTokenChecker
    private let ring: TokenKeyRing
    private let path: String?
    private let fetcher: TokenKeyFetcher?
    private let metrics: TokenKeyMetrics
    private let logger: Logger

    /// Reads the key file and fetches once. A failed fetch does not prevent startup; it is retried.
    ///
    /// - Throws: If the file has no usable keys, or the URL may not be fetched.
    init(
        _ configuration: Configuration.Tokens, secret: String?, _ factory: any MetricsFactory, _ logger: Logger
    ) async throws(ConfigurationError) {
        ring = TokenKeyRing()
        path = configuration.keysFile
        metrics = TokenKeyMetrics(factory)
        self.logger = logger
        if let path { ring.setRead(try Self.keys(at: path)) }
        if let url = configuration.jwksURL {
            fetcher = TokenKeyFetcher(
                url, configuration, try configuration.destinations(of: url), ring, metrics, logger)
        } else {
            fetcher = nil
        }
        verifier = TokenVerifier(
            secret: secret.map { Array($0.utf8) }, ring: ring, source: fetcher, rules: configuration.rules,
            clock: WallClock.milliseconds)
        checker = BoundedTokenChecker(verifier, limit: configuration.waiting, metrics: factory)
        await fetcher?.fetch()
        metrics.keys.record(ring.count)
    }

    func start() { fetcher?.start() }

    func stop() { fetcher?.stop() }

    var hasFile: Bool { path != nil }

    /// - Throws: When the keys cannot be used. The previous ones stay in use.
    func reload() throws(ConfigurationError) {
        guard let path else { return }
        do throws(ConfigurationError) {
            ring.setRead(try Self.keys(at: path))
        } catch {
            metrics.reloadFailures.increment()
            logger.error("cannot reload token keys", metadata: ["error": "\(error)"])
            throw error
        }
        metrics.reloads.increment()
        metrics.keys.record(ring.count)
        logger.notice("token keys reloaded", metadata: ["path": "\(path)"])
    }

    static func keys(at path: String) throws(ConfigurationError) -> [TokenKey] {
        let bytes = try SecretFiles.bytes(at: path, limit: TokenKeySet.mostBytes)
        guard bytes.count <= TokenKeySet.mostBytes else {
            throw ConfigurationError(
                "\"\(path)\" is larger than \(TokenKeySet.mostBytes) bytes, the limit for token keys")
        }
        do throws(TokenKeyError) { return try TokenKeySet.read(bytes) } catch {
            throw ConfigurationError("\"\(path)\" contains no usable token keys: \(error)")
        }
    }
}

struct TokenKeyMetrics: Sendable {
    let keys: Gauge
    let fetches: Counter
    let fetchFailures: Counter
    /// When keys were last fetched, in seconds since 1970.
    let fetched: Gauge
    /// Tokens that named an unknown key.
    let unknown: Counter
    /// Tokens waiting for a fetch, including the one that triggered it.
    let waits: Gauge
    /// Tokens verified with the current keys because too many were waiting.
    let waitsRefused: Counter
    let reloads: Counter
    let reloadFailures: Counter

    init(_ factory: any MetricsFactory) {
        keys = Gauge(.tokenKeys, factory)
        fetches = Counter(.tokenKeyFetches, factory)
        fetchFailures = Counter(.tokenKeyFetchFailures, factory)
        fetched = Gauge(.tokenKeysFetchedSeconds, factory)
        unknown = Counter(.tokenKeysUnknown, factory)
        waits = Gauge(.tokenKeyWaits, factory)
        waitsRefused = Counter(.tokenKeyWaitsRefused, factory)
        reloads = Counter(.tokenKeyReloads, factory)
        reloadFailures = Counter(.tokenKeyReloadFailures, factory)
    }
}

extension Server {
    /// Whether `reloadTokenKeys` has a file to read.
    package var hasTokenKeysFile: Bool { tokenKeys.hasFile }

    /// Reloads the token key file for new connections; existing ones are not affected.
    ///
    /// - Throws: If its keys cannot be used; the previous ones then stay in use.
    public func reloadTokenKeys() throws(ConfigurationError) { try tokenKeys.reload() }
}
