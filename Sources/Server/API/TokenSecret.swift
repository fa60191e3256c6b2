import Crypto
import FoundationEssentials
import JWTKit

/// The secret that signs and verifies users' tokens with HS256 (RFC 7518 §3.2).
struct TokenSecret: Sendable {
    private let key: SymmetricKey
    /// Contains only this key, so jwt-kit never chooses between keys.
    private let collection: JWTKeyCollection

    init(_ secret: [UInt8]) async {
        key = SymmetricKey(data: secret)
        collection = await JWTKeyCollection().add(hmac: HMACKey(from: Data(secret)), digestAlgorithm: .sha256)
    }

    /// Whether the HS256 signature is valid, in constant time. Runs on the calling thread, unlike jwt-kit's actor.
    /// RFC 7515 §5.2.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - text: The first two parts and the dot between them.
    func isValid(_ signature: [UInt8], of text: Substring) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: Array(text.utf8), using: key)
    }

    func sign(_ claims: some JWTPayload) async throws -> String { try await collection.sign(claims) }
}
