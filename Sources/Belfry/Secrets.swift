import API
import ChatModel
import FoundationEssentials

/// The keys of a server: the one that signs users' tokens and the API key of the app's backend.
public struct Secrets: Sendable, Equatable {
    /// `nil` when users are authenticated another way and no tokens are signed.
    public let tokenSecret: String?
    public let apiKey: String?

    static let developmentFile = "development.json"

    /// Reads the keys from the environment, or in development mode generates them once and keeps them in the
    /// data folder.
    ///
    /// - Parameters:
    ///   - environment: `BELFRY_TOKEN_SECRET` (at least 32 bytes) and `BELFRY_API_KEY` (at least 16).
    ///   - developmentFolder: The data folder of a development-mode server; `nil` otherwise.
    ///   - makesUp: Whether to generate keys that the folder does not contain yet.
    ///   - needsSecret: False when public keys verify users' tokens.
    /// - Throws: For a weak key, and outside development mode for a missing secret.
    public init(
        environment: [String: String], developmentFolder: String?, makesUp: Bool = true, needsSecret: Bool = true
    ) throws(ConfigurationError) {
        let secret = environment["BELFRY_TOKEN_SECRET"]
        let key = environment["BELFRY_API_KEY"]
        try Self.refuseWeak(secret, called: "BELFRY_TOKEN_SECRET", atLeast: TokenVerifier.secretBytes)
        try Self.refuseWeak(key, called: "BELFRY_API_KEY", atLeast: APIKey.keyBytes)
        guard let folder = developmentFolder else {
            guard secret != nil || !needsSecret else {
                throw ConfigurationError(
                    "BELFRY_TOKEN_SECRET is not set: set it to the key that signs your users' tokens "
                        + "(openssl rand -hex 32 creates one), configure public keys "
                        + "(tokens.keys_file, tokens.jwks_url), or start with --development")
            }
            self.init(tokenSecret: secret, apiKey: key)
            return
        }
        let kept = try secret == nil || key == nil ? Self.kept(in: folder, makesUp: makesUp) : nil
        guard let tokenSecret = secret ?? kept?.tokenSecret else {
            throw ConfigurationError("\(folder)/\(Self.developmentFile) contains no token secret")
        }
        self.init(tokenSecret: tokenSecret, apiKey: key ?? kept?.apiKey)
    }

    /// The keys of an embedded server, which has no command line or environment to read them from.
    ///
    /// - Throws: For a weak key, and for a missing secret when nothing else authenticates users.
    init(of configuration: Configuration) throws(ConfigurationError) {
        try Self.refuseWeak(configuration.tokenSecret, called: "the token secret", atLeast: TokenVerifier.secretBytes)
        try Self.refuseWeak(configuration.apiKey, called: "the API key", atLeast: APIKey.keyBytes)
        guard
            configuration.tokenSecret != nil || configuration.tokens.hasPublicKeys || configuration.authenticate != nil
        else {
            throw ConfigurationError(
                "nobody could sign in: configure the token secret, public keys (tokens.keysFile or tokens.jwksURL) or "
                    + "authenticate")
        }
        guard !configuration.chat.guests.areWelcome || configuration.tokenSecret != nil else {
            throw ConfigurationError(
                "guests.enabled needs BELFRY_TOKEN_SECRET (the token secret): the server signs guests' tokens with it"
            )
        }
        self.init(tokenSecret: configuration.tokenSecret, apiKey: configuration.apiKey)
    }

    private static func refuseWeak(
        _ key: String?, called name: String, atLeast bytes: Int
    ) throws(ConfigurationError) {
        guard let key, key.utf8.count < bytes else { return }
        throw ConfigurationError("\(name) has \(key.utf8.count) bytes and needs at least \(bytes)")
    }

    init(tokenSecret: String?, apiKey: String?) {
        self.tokenSecret = tokenSecret
        self.apiKey = apiKey
    }

    private struct Kept: Codable {
        var tokenSecret: String
        var apiKey: String
        enum CodingKeys: String, CodingKey {
            case tokenSecret = "token_secret"
            case apiKey = "api_key"
        }
    }

    private static func kept(in folder: String, makesUp: Bool) throws(ConfigurationError) -> Secrets {
        let path = folder + "/" + developmentFile
        guard makesUp || FileManager.default.fileExists(atPath: path) else {
            throw ConfigurationError(
                "BELFRY_TOKEN_SECRET is not set, and \(folder) contains no development-mode keys: "
                    + "set the variable, or name a development server's data folder with --data")
        }
        try DataFolder.make(folder)
        let fresh = Kept(tokenSecret: randomHex(bytes: 32), apiKey: randomHex(bytes: 16))
        let json = "{\"token_secret\":\"\(fresh.tokenSecret)\",\"api_key\":\"\(fresh.apiKey)\"}\n"
        if try DataFolder.writeNew(path, Array(json.utf8)) {
            return Secrets(tokenSecret: fresh.tokenSecret, apiKey: fresh.apiKey)
        }
        let bytes = try DataFolder.read(path)
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes)),
            kept.tokenSecret.utf8.count >= TokenVerifier.secretBytes, kept.apiKey.utf8.count >= APIKey.keyBytes
        else { throw ConfigurationError("\(path) is damaged: remove it, and new keys are generated at the next start") }
        return Secrets(tokenSecret: kept.tokenSecret, apiKey: kept.apiKey)
    }

    private static func randomHex(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }.joined()
    }

    /// Signs a token for a user that meets the claims required by `tokens`.
    ///
    /// - Throws: For an invalid id (not 1–80 characters without controls), and when there is no secret.
    public func token(
        for user: String, lifetimeSeconds: Int64?, tokens: Configuration.Tokens = Configuration.Tokens()
    ) async throws(ConfigurationError) -> String {
        guard let id = UserID(user) else {
            throw ConfigurationError("a user id has 1 to 80 characters and no control characters")
        }
        guard let tokenSecret else { throw ConfigurationError("no token secret is configured to sign with") }
        let verifier = await TokenVerifier(
            secret: Array(tokenSecret.utf8), rules: tokens.rules, clock: WallClock.milliseconds)
        do {
            return try await verifier.issue(for: id, lifetimeSeconds: lifetimeSeconds)
        } catch {
            throw ConfigurationError("the token cannot be signed: \(error)")
        }
    }
}

/// Printing a value that contains keys never prints the keys: libraries log the services that they run.
extension Secrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Secrets" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Configuration(host: \(host), port: \(port), dataFolder: \(dataFolder))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
