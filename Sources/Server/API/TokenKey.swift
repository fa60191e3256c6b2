import Crypto
import FoundationEssentials
import JWTKit

/// Qualified, because Crypto also has a type `Insecure`.
typealias RS256PublicKey = JWTKit.Insecure.RSA.PublicKey

/// A key that verifies users' tokens, and its only algorithm (RFC 8725 §3.1).
package struct TokenKey: Sendable {
    package let algorithm: TokenAlgorithm
    /// Its `kid`; `nil` for a key that tokens need not name. RFC 7517 §4.5.
    package let id: String?
    /// Contains only this key, so jwt-kit never selects one.
    private let collection: JWTKeyCollection
    /// Nil for a public key.
    private let secret: SymmetricKey?

    private init(
        _ algorithm: TokenAlgorithm, id: String?, _ collection: JWTKeyCollection, secret: SymmetricKey? = nil
    ) {
        self.algorithm = algorithm
        self.id = id
        self.collection = collection
        self.secret = secret
    }

    init(secret: [UInt8]) async {
        let collection = await JWTKeyCollection().add(hmac: HMACKey(from: Data(secret)), digestAlgorithm: .sha256)
        self.init(.hs256, id: nil, collection, secret: SymmetricKey(data: secret))
    }

    init(_ key: RS256PublicKey, id: String?) async {
        self.init(.rs256, id: id, await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256))
    }

    init(_ key: ES256PublicKey, id: String?) async {
        self.init(.es256, id: id, await JWTKeyCollection().add(ecdsa: key))
    }

    init(_ key: EdDSA.PublicKey, id: String?) async {
        self.init(.edDSA, id: id, await JWTKeyCollection().add(eddsa: key))
    }

    /// - Throws: When the signature does not match or the claims are invalid.
    func verify<Claims: JWTPayload>(_ token: String, as claims: Claims.Type) async throws -> Claims {
        try await collection.verify(Array(token.utf8), as: claims)
    }

    /// Verifies with the secret without leaving the thread, which jwt-kit's actor does several times. RFC 7515 §5.2.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - signed: The number of bytes before it and its dot.
    /// - Throws: When the signature does not match, the claims are invalid, or this is a public key.
    func verify<Claims: JWTPayload>(
        _ token: String, signature: [UInt8], signed count: Int, as claims: Claims.Type
    ) throws -> Claims {
        let bytes = Array(token.utf8)
        guard let secret,
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes[..<count], using: secret)
        else { throw JWTError.signatureVerificationFailed }
        return try DefaultJWTParser().parse(bytes, as: claims).payload
    }

    /// - Throws: For a public key.
    func sign(_ claims: some JWTPayload) async throws -> String { try await collection.sign(claims) }
}
