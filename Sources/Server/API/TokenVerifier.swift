import ChatModel
import FoundationEssentials
import Gateway
import JWTKit

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
    ) async {
        if let secret {
            precondition(secret.count >= Self.secretBytes, "a weak secret must be refused where it is read")
            self.secret = await TokenSecret(secret)
        } else {
            self.secret = nil
        }
        self.ring = ring
        self.source = source
        self.rules = rules
        self.clock = clock
    }

    /// Whether there is a key to sign with.
    var canSign: Bool { secret != nil }

    /// The claims that Belfry writes, including those that its own rules require.
    private struct IssuedClaims: JWTPayload {
        var sub: UserID
        var exp: Double?
        var iat: Double
        var iss: String?
        var aud: String?

        func verify(using algorithm: some JWTAlgorithm) async throws {}
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
        let token: String
        let head: TokenHead
        let claims: Substring
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
        return .success(Parsed(token: token, head: head, claims: parts[1], signature: signature))
    }

    private func verifyWithSecret(_ parsed: Parsed) -> Result<Identity, TokenRefusal> {
        guard let secret, secret.isValid(parsed.signature, of: parsed.token[..<parsed.claims.endIndex]) else {
            return .failure(.invalid)
        }
        return identity(parsed)
    }

    private func verify(_ parsed: Parsed) async -> Result<Identity, TokenRefusal> {
        if let refusal = await refusal(of: parsed.token, parsed.head) { return .failure(refusal) }
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
    private func refusal(of token: String, _ head: TokenHead) async -> TokenRefusal? {
        if await isSigned(token, head) { return nil }
        guard let source else { return .invalid }
        if head.keyID != nil {
            guard ring.isUnknown(head) else { return .invalid }
            await source.fetchAgain()
            if await isSigned(token, head) { return nil }
        }
        // Before the first keys arrive the token cannot be verified: ask the client to retry.
        return ring.wasFetched ? .invalid : .unavailable
    }

    private func isSigned(_ token: String, _ head: TokenHead) async -> Bool {
        guard let key = ring.key(for: head) else { return false }
        return await key.verifies(token)
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
    package func issue(for user: UserID, lifetimeSeconds: Int64?) async throws -> String {
        let now = clock() / 1_000
        return try await sign(user, expiry: lifetimeSeconds.map { now + $0 }, now: now)
    }

    /// Signs a token on the same executor as `verify`, and passes on the token and its expiry in milliseconds since
    /// 1970.
    ///
    /// - Parameters:
    ///   - lifetimeSeconds: From 1 second to 100 years.
    ///   - completion: Receives no token when signing fails.
    package func issue(
        for user: UserID, lifetimeSeconds: Int64,
        then completion: @escaping @Sendable (_ token: String?, _ expiresAt: Int64) -> Void
    ) {
        let now = clock() / 1_000
        let expiry = now + lifetimeSeconds
        Task(executorPreference: executor) {
            completion(try? await sign(user, expiry: expiry, now: now), expiry * 1_000)
        }
    }

    /// - Parameter expiry: Seconds since 1970; `nil` for never.
    private func sign(_ user: UserID, expiry: Int64?, now: Int64) async throws -> String {
        guard let secret else { throw NoSecret() }
        return try await secret.sign(
            IssuedClaims(
                sub: user, exp: expiry.map(Double.init), iat: Double(now), iss: rules.issuer, aud: rules.audience))
    }

    private struct NoSecret: Error {}
}
