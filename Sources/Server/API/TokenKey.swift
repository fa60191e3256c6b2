import JWTKit

/// An alias, because Crypto also has a type named `Insecure`.
typealias RS256PublicKey = JWTKit.Insecure.RSA.PublicKey

/// A public key that verifies users' tokens, and its only algorithm (RFC 8725 §3.1).
package struct TokenKey: Sendable {
    package let algorithm: TokenAlgorithm
    /// The `kid`; `nil` for a key that tokens need not name. RFC 7517 §4.5.
    package let id: String?
    /// Contains only this key, so jwt-kit never chooses between keys.
    private let collection: JWTKeyCollection

    private init(_ algorithm: TokenAlgorithm, id: String?, _ collection: JWTKeyCollection) {
        self.algorithm = algorithm
        self.id = id
        self.collection = collection
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

    /// Whether the token's signature is valid; the claims are not checked.
    func verifies(_ token: String) async -> Bool {
        (try? await collection.verify(Array(token.utf8), as: UncheckedClaims.self)) != nil
    }

    private struct UncheckedClaims: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }
}
