import CoreMetrics
import Logging

extension Configuration {
    /// Validates the configuration as a start would, without listening, opening the data folder or fetching
    /// keys.
    ///
    /// - Parameter makesUpKeys: Whether a start would generate a missing token secret and API key.
    /// - Throws: The error that a start would throw.
    package func check(makesUpKeys: Bool = false) async throws(ConfigurationError) {
        var judged = self
        // A placeholder that is long enough; a start generates a random one.
        if makesUpKeys, tokenSecret == nil { judged.tokenSecret = String(repeating: "0", count: 64) }
        let secrets = try Secrets(of: judged)
        let logger = Logger(label: "belfry", factory: { _ in SwiftLogNoOpLogHandler() })
        let metrics = NOOPMetricsHandler.instance
        _ = try page.files(guestsAreWelcome: chat.guests.areWelcome)
        if let path = tokens.keysFile { _ = try await TokenKeys.keys(at: path) }
        if let url = tokens.jwksURL { _ = try tokens.destinations(of: url) }
        _ = try ServerKeys(own: secrets.apiKey, path: keysFile, metrics: metrics, logger)
        _ = try Server.identity(self, metrics, logger)
        _ = try events.limits()
        _ = try admin.address()
    }
}
