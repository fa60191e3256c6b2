import ChatModel
import FoundationEssentials
import Gateway
import JWTKit

/// Checks the tokens with which users connect: JWT (RFC 7519) signed with HMAC-SHA-256.
///
/// Strict where libraries are lax: the algorithm must be the one the key is for, nothing critical may be asked, and the
/// text must be three parts of base64url without padding.
package struct TokenVerifier: TokenChecker {
    package static let tokenBytes = 4_096
    /// RFC 7518 §3.2: a key at least as long as the hash.
    package static let secretBytes = 32

    private let keys: JWTKeyCollection
    private let executor = TokenExecutor()
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    /// - Parameter secret: At least 32 bytes; a shorter one is refused where it is configured.
    package init(secret: [UInt8], clock: @escaping @Sendable () -> Int64) async {
        precondition(secret.count >= Self.secretBytes, "a weak secret must be refused where it is read")
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: Data(secret)), digestAlgorithm: .sha256)
        self.clock = clock
    }

    /// The claims that Belfry reads; times in seconds since 1970.
    struct Claims: JWTPayload {
        var sub: UserID
        var exp: Double?
        var nbf: Double?
        var iat: Double?

        /// Times are judged by `TokenVerifier`, which knows the clock.
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// Verifies apart from the tasks of the process, which a host may keep busy, and hands the result over there.
    package func verify(
        _ token: String?, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        Task(executorPreference: executor) { handOver(await verify(token)) }
    }

    package func verify(_ token: String?) async -> Result<Identity, TokenRefusal> {
        guard let token, !token.isEmpty else { return .failure(.missing) }
        guard Self.isWellFormed(token), let claims = await signedClaims(token) else { return .failure(.invalid) }
        let now = Double(clock())
        if let notBefore = claims.nbf, notBefore * 1_000 > now { return .failure(.invalid) }
        guard let expiry = claims.exp else { return .success(Identity(user: claims.sub, validFor: nil)) }
        let remaining = expiry * 1_000 - now
        guard remaining > 0 else { return .failure(.expired) }
        // A century stands for every later date, so that no time overflows.
        return .success(Identity(user: claims.sub, validFor: Int64(min(remaining, 3_155_760_000_000).rounded(.up))))
    }

    private func signedClaims(_ token: String) async -> Claims? {
        guard let dot = token.firstIndex(of: "."), TokenHead.isAcceptable(token[..<dot]) else { return nil }
        return try? await keys.verify(Array(token.utf8), as: Claims.self)
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

    /// A token for a user, signed with the same key; `nil` lifetime for one that never expires.
    package func issue(for user: UserID, lifetimeSeconds: Int64?) async throws -> String {
        let now = clock() / 1_000
        return try await sign(user, expiry: lifetimeSeconds.map { now + $0 }, now: now)
    }

    /// Signs apart from the tasks of the process, as `verify` does, and hands over the token and when it expires, in
    /// milliseconds since 1970.
    ///
    /// - Parameters:
    ///   - lifetimeSeconds: At least 1, and no more than 100 years.
    ///   - handOver: Gets no token when the signature failed.
    package func issue(
        for user: UserID, lifetimeSeconds: Int64,
        then handOver: @escaping @Sendable (_ token: String?, _ expiresAt: Int64) -> Void
    ) {
        let now = clock() / 1_000
        let expiry = now + lifetimeSeconds
        Task(executorPreference: executor) {
            handOver(try? await sign(user, expiry: expiry, now: now), expiry * 1_000)
        }
    }

    /// - Parameter expiry: Seconds since 1970; `nil` for never.
    private func sign(_ user: UserID, expiry: Int64?, now: Int64) async throws -> String {
        try await keys.sign(Claims(sub: user, exp: expiry.map(Double.init), nbf: nil, iat: Double(now)))
    }
}
