import CoreMetrics
import Logging

extension Configuration {
    /// Validates the configuration as at startup, but does not listen, open the data folder or fetch keys.
    ///
    /// - Parameter generatesKeys: Whether startup would generate a missing token secret and API key.
    /// - Throws: The error that startup would throw.
    package func check(generatesKeys: Bool = false) throws(ConfigurationError) {
        var checked = self
        // A placeholder of sufficient length; startup generates a random one.
        if generatesKeys, tokenSecret == nil { checked.tokenSecret = String(repeating: "0", count: 64) }
        let secrets = try Secrets(of: checked)
        let logger = Logger(label: "belfry", factory: { _ in SwiftLogNoOpLogHandler() })
        let metrics = NOOPMetricsHandler.instance
        _ = try page.files(allowsGuests: chat.guests.isEnabled)
        if let path = tokens.keysFile { _ = try TokenKeys.keys(at: path) }
        if let url = tokens.jwksURL { _ = try tokens.destinations(of: url) }
        _ = try ServerKeys(apiKey: secrets.apiKey, path: keysFile, metrics: metrics, logger)
        _ = try Server.identity(self, metrics, logger)
        _ = try events.limits()
        _ = try admin.address()
        try checkCluster()
    }
}
