import API
import Glibc
import Logging
import MetricTable
import Metrics

/// The keys of the app's backend: the configured one, which has every scope, and those in a file.
final class ServerKeys: Sendable {
    let ring: KeyRing
    let path: String?
    private let configured: NamedKey?
    let uses: KeyUses
    private let reloads: Counter
    private let failures: Counter

    /// - Throws: For a file that cannot be used; see `KeyFile`.
    init(
        apiKey: String?, path: String?, metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) {
        configured = apiKey.map { NamedKey(id: "BELFRY_API_KEY", key: APIKey($0), scopes: .all) }
        self.path = path
        reloads = Counter(.apiKeysReloads, metrics)
        failures = Counter(.apiKeysReloadFailures, metrics)
        let uses = KeyUses(metrics)
        self.uses = uses
        ring = KeyRing([]) { uses.record($0, now: WallClock.milliseconds()) }
        apply(try read(logger))
    }

    func reload(_ logger: Logger) throws(ConfigurationError) {
        do throws(ConfigurationError) {
            let keys = try read(logger)
            apply(keys)
            reloads.increment()
            logger.notice("server keys reloaded", metadata: ["path": "\(path ?? "")", "keys": "\(keys.count)"])
        } catch {
            failures.increment()
            logger.error("cannot reload server keys", metadata: ["error": "\(error)"])
            throw error
        }
    }

    private func apply(_ keys: [NamedKey]) {
        uses.keepOnly(keys.map(\.id))
        ring.replace(keys)
    }

    private func read(_ logger: Logger) throws(ConfigurationError) -> [NamedKey] {
        var keys = configured.map { [$0] } ?? []
        guard let path else { return keys }
        let bytes = try SecretFiles.bytes(at: path, limit: KeyFile.mostBytes) { (file) throws(ConfigurationError) in
            try Self.check(file, path)
        }
        guard bytes.count <= KeyFile.mostBytes else {
            throw ConfigurationError("\"\(path)\" is larger than \(KeyFile.mostBytes) bytes, the limit for server keys")
        }
        do throws(KeyFile.Invalid) {
            keys += try KeyFile.keys(bytes)
        } catch {
            throw ConfigurationError("\"\(path)\" contains no usable server keys: \(error)")
        }
        if let configured, keys.dropFirst().contains(where: { $0.hasKey(of: configured) }) {
            throw ConfigurationError("\"\(path)\" contains the key in BELFRY_API_KEY: remove it from one of them")
        }
        for key in keys where key.isExpired(at: WallClock.milliseconds()) {
            logger.warning("a server key has expired", metadata: ["key": "\(key.id)"])
        }
        return keys
    }

    /// Refuses a file that others can read or write, because they could copy or replace its keys.
    private static func check(_ file: Int32, _ path: String) throws(ConfigurationError) {
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw ConfigurationError("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ConfigurationError("\"\(path)\" is not a regular file") }
        guard status.st_mode & 0o027 == 0 else {
            throw ConfigurationError(
                "\"\(path)\" can be read or written by others: "
                    + "chmod it to 600, or to 640 if its group is this process's")
        }
    }
}

extension Server {
    package var hasKeysFile: Bool { keys.path != nil }

    /// Reads the file of server keys again, and checks later requests against the new keys. `Configuration.apiKey` is
    /// unaffected.
    ///
    /// - Throws: When the file cannot be used or none is configured. The previous keys stay in use.
    public func reloadKeys() throws(ConfigurationError) {
        guard hasKeysFile else {
            throw ConfigurationError("cannot reload server keys: server.api_keys_file is not set")
        }
        try keys.reload(logger)
    }
}
