import API
import ChatModel
import FoundationEssentials

/// A server's keys: the secret for signing users' tokens and the API key of the app's backend.
public struct Secrets: Sendable, Equatable {
    /// The secret; `nil` when users authenticate another way and no tokens are signed.
    public let tokenSecret: String?
    /// The API key of the app's backend; `nil` when there is none.
    public let apiKey: String?

    static let developmentFile = "development.json"

    /// Reads the keys from the environment. In development mode, generates them once and keeps them in the data folder.
    ///
    /// - Parameters:
    ///   - environment: `BELFRY_TOKEN_SECRET` (at least 32 bytes) and `BELFRY_API_KEY` (at least 16).
    ///   - developmentFolder: The data folder of a development-mode server; `nil` otherwise.
    ///   - generatesMissing: Whether to generate keys that the folder does not contain yet.
    ///   - needsSecret: False when public keys verify users' tokens.
    /// - Throws: For a weak key, and outside development mode for a missing secret.
    public init(
        environment: [String: String], developmentFolder: String?, generatesMissing: Bool = true,
        needsSecret: Bool = true
    ) throws(ConfigurationError) {
        let secret = environment["BELFRY_TOKEN_SECRET"]
        let key = environment["BELFRY_API_KEY"]
        try Self.checkLength(secret, of: "BELFRY_TOKEN_SECRET", atLeast: TokenVerifier.secretBytes)
        try Self.checkLength(key, of: "BELFRY_API_KEY", atLeast: APIKey.keyBytes)
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
        let isIncomplete = secret == nil || key == nil
        let stored = try isIncomplete ? Self.loadOrCreate(in: folder, generatesMissing: generatesMissing) : nil
        guard let tokenSecret = secret ?? stored?.tokenSecret else {
            throw ConfigurationError("\"\(folder)/\(Self.developmentFile)\" contains no token secret")
        }
        self.init(tokenSecret: tokenSecret, apiKey: key ?? stored?.apiKey)
    }

    /// Takes the keys of an embedded server from its configuration, because it has no command line or environment to
    /// read.
    ///
    /// - Throws: For a weak key, and for a missing secret when nothing else authenticates users.
    init(of configuration: Configuration) throws(ConfigurationError) {
        try Self.checkLength(configuration.tokenSecret, of: "the token secret", atLeast: TokenVerifier.secretBytes)
        try Self.checkLength(configuration.apiKey, of: "the API key", atLeast: APIKey.keyBytes)
        guard
            configuration.tokenSecret != nil || configuration.tokens.hasPublicKeys || configuration.authenticate != nil
        else {
            throw ConfigurationError(
                "users cannot sign in: configure the token secret, public keys (tokens.keysFile or tokens.jwksURL) or "
                    + "authenticate")
        }
        guard !configuration.chat.guests.isEnabled || configuration.tokenSecret != nil else {
            throw ConfigurationError(
                "guests.enabled needs a token secret (BELFRY_TOKEN_SECRET): the server signs guests' tokens with it"
            )
        }
        self.init(tokenSecret: configuration.tokenSecret, apiKey: configuration.apiKey)
    }

    private static func checkLength(
        _ key: String?, of name: String, atLeast bytes: Int
    ) throws(ConfigurationError) {
        guard let key, key.utf8.count < bytes else { return }
        throw ConfigurationError("\(name) has \(key.utf8.count) bytes and needs at least \(bytes)")
    }

    init(tokenSecret: String?, apiKey: String?) {
        self.tokenSecret = tokenSecret
        self.apiKey = apiKey
    }

    private struct Stored: Codable {
        var tokenSecret: String
        var apiKey: String
        enum CodingKeys: String, CodingKey {
            case tokenSecret = "token_secret"
            case apiKey = "api_key"
        }
    }

    private static func loadOrCreate(
        in folder: String, generatesMissing: Bool
    ) throws(ConfigurationError) -> Secrets {
        let path = folder + "/" + developmentFile
        guard generatesMissing || FileManager.default.fileExists(atPath: path) else {
            throw ConfigurationError(
                "BELFRY_TOKEN_SECRET is not set, and \"\(folder)\" contains no development-mode keys: "
                    + "set the variable, or name a development server's data folder with --data")
        }
        try DataFolder.make(folder)
        let fresh = Stored(tokenSecret: randomHex(bytes: 32), apiKey: randomHex(bytes: 16))
        let json = "{\"token_secret\":\"\(fresh.tokenSecret)\",\"api_key\":\"\(fresh.apiKey)\"}\n"
        if try DataFolder.writeNew(path, Array(json.utf8)) {
            return Secrets(tokenSecret: fresh.tokenSecret, apiKey: fresh.apiKey)
        }
        let bytes = try DataFolder.read(path)
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
            stored.tokenSecret.utf8.count >= TokenVerifier.secretBytes, stored.apiKey.utf8.count >= APIKey.keyBytes
        else { throw ConfigurationError("\"\(path)\" is damaged: delete it, and the next start generates new keys") }
        return Secrets(tokenSecret: stored.tokenSecret, apiKey: stored.apiKey)
    }

    private static func randomHex(bytes count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }.joined()
    }

    /// Signs a token for a user, with the claims required by `tokens`.
    ///
    /// - Parameters:
    ///   - user: The user's id.
    ///   - lifetimeSeconds: How long the token is valid; nil for no limit.
    ///   - tokens: The claims that the server requires.
    /// - Returns: A JWT (RFC 7519), signed with HS256.
    /// - Throws: For an invalid id (not 1–80 characters without controls), and when there is no secret.
    public func token(
        for user: String, lifetimeSeconds: Int64?, tokens: Configuration.Tokens = Configuration.Tokens()
    ) throws(ConfigurationError) -> String {
        guard let id = UserID(user) else {
            throw ConfigurationError("a user id must have 1 to 80 characters and no control characters")
        }
        let verifier = TokenVerifier(
            secret: tokenSecret.map { Array($0.utf8) }, rules: tokens.rules, clock: WallClock.milliseconds)
        do {
            return try verifier.issue(for: id, lifetimeSeconds: lifetimeSeconds)
        } catch {
            throw ConfigurationError("cannot sign the token: no token secret is configured")
        }
    }
}

/// Printing a value that contains keys never prints the keys, because libraries log the services that they run.
extension Secrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, without the keys.
    public var description: String { "Secrets" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Empty, so that dumping a value reveals no keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The addresses and folders, without the keys.
    public var description: String { "Configuration(host: \(host), port: \(port), dataFolder: \(dataFolder))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Empty, so that dumping a value reveals no keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
