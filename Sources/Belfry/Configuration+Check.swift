import CoreMetrics
import Logging

extension Configuration {
    /// Judges what a start would, without listening, without the data folder, and without asking anybody for keys.
    ///
    /// - Parameter makesUpKeys: Whether the start makes up the token secret and the API key where they are missing.
    /// - Throws: What the start would throw.
    package func check(makesUpKeys: Bool = false) async throws(ConfigurationError) {
        var judged = self
        // Long enough for any judge; a start makes up a better one.
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
