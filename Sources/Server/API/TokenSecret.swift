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

    /// Verifies without leaving the thread, unlike jwt-kit's actor, which leaves it several times. RFC 7515 §5.2.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - count: The number of bytes in the first two parts and the dot between them.
    /// - Throws: When the signature does not match or the claims are invalid.
    func verify<Claims: JWTPayload>(
        _ token: String, signature: [UInt8], signed count: Int, as claims: Claims.Type
    ) throws -> Claims {
        let bytes = Array(token.utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes[..<count], using: key) else {
            throw JWTError.signatureVerificationFailed
        }
        return try DefaultJWTParser().parse(bytes, as: claims).payload
    }

    func sign(_ claims: some JWTPayload) async throws -> String { try await collection.sign(claims) }
}
