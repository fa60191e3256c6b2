import ChatModel
import Gateway
import WireProtocol

/// Verifies users' tokens: JWTs (RFC 7519) signed with a shared secret or a private key.
///
/// It is stricter than many libraries: the algorithm must match the key, critical extensions are refused, and the token
/// must consist of three parts of unpadded base64url.
package struct TokenVerifier: TokenChecker {
    package static let tokenBytes = 4_096
    /// The minimum length of a secret: at least that of the hash. RFC 7518 §3.2.
    package static let secretBytes = 32

    /// The HS256 key, the only one that can sign.
    private let secret: TokenSecret?
    private let ring: TokenKeyRing
    private let source: (any TokenKeySource)?
    private let rules: TokenRules
    private let executor = TokenExecutor(label: "belfry.tokens")
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - secret: At least 32 bytes; the configuration refuses shorter ones.
    ///   - ring: The public keys.
    ///   - source: Fetches more keys when a token names one that the ring does not contain.
    package init(
        secret: [UInt8]?, ring: TokenKeyRing = TokenKeyRing(), source: (any TokenKeySource)? = nil,
        rules: TokenRules = TokenRules(), clock: @escaping @Sendable () -> Int64
    ) {
        if let secret {
            precondition(secret.count >= Self.secretBytes, "a weak secret must be refused where it is read")
        }
        self.secret = secret.map(TokenSecret.init)
        self.ring = ring
        self.source = source
        self.rules = rules
        self.clock = clock
    }

    /// Verifies a token and calls `completion`. With the secret this happens immediately, because it takes
    /// microseconds; otherwise on a separate executor, because the host may keep the process's tasks busy.
    package func verify(
        _ token: String?, then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        switch parse(token) {
        case .failure(let refusal): completion(.failure(refusal))
        case .success(let parsed) where parsed.head.algorithm == .hs256: completion(verifyWithSecret(parsed))
        case .success(let parsed):
            Task(executorPreference: executor) { completion(await verify(parsed)) }
        }
    }

    package func verify(_ token: String?) async -> Result<Identity, TokenRefusal> {
        await withCheckedContinuation { done in verify(token) { done.resume(returning: $0) } }
    }

    /// A well-formed but unverified token.
    private struct Parsed {
        let head: TokenHead
        let claims: Substring
        /// The text that was signed: the first two parts and the dot between them.
        let text: Substring
        let signature: [UInt8]
    }

    private func parse(_ token: String?) -> Result<Parsed, TokenRefusal> {
        guard let token, !token.isEmpty else { return .failure(.missing) }
        guard Self.isWellFormed(token) else { return .failure(.invalid) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // Require the canonical encoding: libraries ignore unused bits of the last character, so four texts would be
        // accepted as the same signature.
        guard parts.count == 3, let head = TokenHead(parts[0]), let signature = Base64URL.bytes(parts[2]) else {
            return .failure(.invalid)
        }
        return .success(
            Parsed(head: head, claims: parts[1], text: token[..<parts[1].endIndex], signature: signature))
    }

    private func verifyWithSecret(_ parsed: Parsed) -> Result<Identity, TokenRefusal> {
        guard let secret, secret.isValid(parsed.signature, of: parsed.text) else {
            return .failure(.invalid)
        }
        return identity(parsed)
    }

    private func verify(_ parsed: Parsed) async -> Result<Identity, TokenRefusal> {
        if let refusal = await refusal(of: parsed) { return .failure(refusal) }
        // Other issuers cannot sign tokens for this server's guests.
        return identity(parsed, admitsGuests: false)
    }

    /// Reads and checks the claims of a token whose signature is valid.
    private func identity(_ parsed: Parsed, admitsGuests: Bool = true) -> Result<Identity, TokenRefusal> {
        guard let claims = TokenClaims(parsed.claims), admitsGuests || !claims.subject.isGuest, rules.accept(claims)
        else { return .failure(.invalid) }
        let now = Double(clock())
        if let notBefore = claims.notBefore, notBefore * 1_000 > now { return .failure(.invalid) }
        let issuedAt = Self.seconds(claims.issuedAt)
        guard let expiry = claims.expiry else {
            return .success(Identity(user: claims.subject, validFor: nil, issuedAt: issuedAt))
        }
        let remaining = expiry * 1_000 - now
        guard remaining > 0 else { return .failure(.expired) }
        // Clamp later dates to a century, so that no time overflows.
        let validFor = Int64(min(remaining, 3_155_760_000_000).rounded(.up))
        return .success(Identity(user: claims.subject, validFor: validFor, issuedAt: issuedAt))
    }

    /// Returns whole seconds since 1970 for an arbitrary value; 0 for none.
    private static func seconds(_ time: Double?) -> Int64 {
        guard let time, time > 0 else { return 0 }
        return Int64(min(time, 1e15))
    }

    /// Why the token's signature is refused; nil if it is valid.
    private func refusal(of parsed: Parsed) async -> TokenRefusal? {
        if isSigned(parsed) { return nil }
        guard let source else { return .invalid }
        let head = parsed.head
        if head.keyID != nil {
            guard ring.isUnknown(head) else { return .invalid }
            await source.fetchAgain()
            if isSigned(parsed) { return nil }
        }
        // Before the first keys arrive the token cannot be verified: ask the client to retry.
        return ring.wasFetched ? .invalid : .unavailable
    }

    private func isSigned(_ parsed: Parsed) -> Bool {
        ring.key(for: parsed.head)?.isValid(parsed.signature, of: parsed.text) ?? false
    }

    private static func isWellFormed(_ token: String) -> Bool {
        guard token.utf8.count <= tokenBytes else { return false }
        var dots = 0
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return dots == 2
    }

    /// Signs a token for a user with the secret. With a `nil` lifetime, the token never expires.
    ///
    /// - Throws: If there is no secret.
    package func issue(for user: UserID, lifetimeSeconds: Int64?) throws -> String {
        let now = clock() / 1_000
        guard let token = sign(user, expiry: lifetimeSeconds.map { now + $0 }, now: now) else { throw NoSecret() }
        return token
    }

    private struct NoSecret: Error {}

    /// Signs a token that expires.
    ///
    /// - Parameter lifetimeSeconds: From 1 second to 100 years.
    /// - Returns: The token and its expiry in milliseconds since 1970; `nil` if there is no secret.
    func issueExpiring(for user: UserID, lifetimeSeconds: Int64) -> (token: String, expiresAt: Int64)? {
        let now = clock() / 1_000
        let expiry = now + lifetimeSeconds
        return sign(user, expiry: expiry, now: now).map { ($0, expiry * 1_000) }
    }

    /// Signs the claims, including those that Belfry's own rules require.
    ///
    /// - Parameter expiry: Seconds since 1970; `nil` for never.
    private func sign(_ user: UserID, expiry: Int64?, now: Int64) -> String? {
        var claims = JSONWriter()
        claims.object {
            $0.field("sub", user.rawValue)
            if let expiry { $0.field("exp", expiry) }
            $0.field("iat", now)
            if let issuer = rules.issuer { $0.field("iss", issuer) }
            if let audience = rules.audience { $0.field("aud", audience) }
        }
        return secret?.token(claims.bytes)
    }
}
