import API
import EventLoops
import Webhooks

extension Configuration {
    /// The sources of the public keys for users' tokens, and the required claims.
    public struct Tokens: Sendable, Equatable {
        /// The path of a JWK set (RFC 7517 §5) or PEM file; `Server.reloadTokenKeys()` reads it again.
        public var keysFile: String?
        /// The URL of a JWK set: `https`, or `http` to networks listed in `tokens.jwks_http_networks`.
        public var jwksURL: String?
        /// Seconds between fetches.
        public var jwksRefreshSeconds = 600
        /// Timeout of a fetch in milliseconds.
        public var jwksTimeoutMilliseconds = 5_000
        /// The minimum time between fetches triggered by tokens with an unknown key, in milliseconds.
        public var jwksPauseMilliseconds = 10_000
        /// The maximum number of tokens waiting for verification or for keys; beyond this, clients are asked to retry
        /// (111).
        public var waiting = 10_000
        package var jwksHTTPNetworks: [IPRange] = []
        /// The required `iss` claim; nil accepts any.
        public var issuer: String?
        /// The required `aud` claim, or a required element if the claim is a list; nil accepts any.
        public var audience: String?

        /// Creates options without public keys that accept any issuer and audience.
        public init() {}

        var rules: TokenRules { TokenRules(issuer: issuer, audience: audience) }
        /// Whether tokens can be verified without a secret.
        package var hasPublicKeys: Bool { keysFile != nil || jwksURL != nil }

        /// Returns the addresses that the fetch may connect to.
        ///
        /// - Throws: For an invalid URL, one that contains a password, and one that is neither `https` nor an allowed
        ///   `http`.
        func destinations(of url: String) throws(ConfigurationError) -> Destinations {
            let lowercased = url.lowercased()
            let isPlain = lowercased.hasPrefix("http://")
            guard isPlain || lowercased.hasPrefix("https://") else {
                throw ConfigurationError("tokens.jwks_url must begin with https://")
            }
            let authority = url.dropFirst(isPlain ? 7 : 8).prefix { !"/?#".contains($0) }
            // A password would appear in logs and wherever settings are displayed.
            guard !authority.isEmpty, !authority.contains("@"), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw ConfigurationError("tokens.jwks_url must be a URL without spaces, user name or password")
            }
            guard isPlain else { return Destinations(.everywhere) }
            guard !jwksHTTPNetworks.isEmpty else {
                throw ConfigurationError(
                    "tokens.jwks_url must begin with https://: anyone on the network path could replace "
                        + "keys sent over http; tokens.jwks_http_networks lists networks where http is allowed")
            }
            var destinations = Destinations(.nowhere)
            destinations.allowed = jwksHTTPNetworks
            return destinations
        }
    }
}
