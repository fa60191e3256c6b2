import API
import EventLoops
import Webhooks

extension Configuration {
    /// Where the public keys of users' tokens come from, and what the claims must say.
    public struct Tokens: Sendable, Equatable {
        /// A JWK set (RFC 7517 §5) or PEM; read again by `Server.reloadTokenKeys()`.
        public var keysFile: String?
        /// Where a JWK set is fetched from; `https`, or `http` to the networks that are named for it.
        public var jwksURL: String?
        /// Seconds from one fetch to the next.
        public var jwksRefreshSeconds = 600
        /// Milliseconds that a fetch may take.
        public var jwksTimeoutMilliseconds = 5_000
        /// Milliseconds between two fetches for tokens that name an unknown key.
        public var jwksPauseMilliseconds = 10_000
        /// Tokens that may wait to be judged, those that wait for keys among them; one more is told to come again (111).
        public var waiting = 10_000
        package var jwksHTTPNetworks: [IPRange] = []
        /// What `iss` of every token is; nil asks for none.
        public var issuer: String?
        /// What `aud` of every token is, or has in its list; nil asks for none.
        public var audience: String?

        public init() {}

        var rules: TokenRules { TokenRules(issuer: issuer, audience: audience) }
        /// Whether tokens can be judged without a secret.
        package var hasPublicKeys: Bool { keysFile != nil || jwksURL != nil }

        /// Where the fetch may go.
        ///
        /// - Throws: For an address that is none, holds a password, or is neither `https` nor allowed.
        func destinations(of url: String) throws(ConfigurationError) -> Destinations {
            let lowercased = url.lowercased()
            let isPlain = lowercased.hasPrefix("http://")
            guard isPlain || lowercased.hasPrefix("https://") else {
                throw ConfigurationError("tokens.jwks_url must begin with https://")
            }
            let authority = url.dropFirst(isPlain ? 7 : 8).prefix { !"/?#".contains($0) }
            // It would stand in logs, and wherever settings are shown.
            guard !authority.isEmpty, !authority.contains("@"), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw ConfigurationError("tokens.jwks_url must be an address without spaces and passwords")
            }
            guard isPlain else { return Destinations(.everywhere) }
            guard !jwksHTTPNetworks.isEmpty else {
                throw ConfigurationError(
                    "tokens.jwks_url must begin with https://: over http anybody on the way could hand out keys; "
                        + "tokens.jwks_http_networks names networks where nobody can")
            }
            var destinations = Destinations(.nowhere)
            destinations.allowed = jwksHTTPNetworks
            return destinations
        }
    }
}
