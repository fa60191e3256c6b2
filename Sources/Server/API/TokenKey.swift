import Crypto
import CryptoExtras

/// A public key that verifies users' tokens with its only algorithm (RFC 8725 §3.1).
package struct TokenKey: Sendable {
    enum PublicKey: Sendable {
        /// RS256, and no other hash or padding.
        case rsa(_RSA.Signing.PublicKey)
        /// ES256.
        case p256(P256.Signing.PublicKey)
        /// EdDSA.
        case ed25519(Curve25519.Signing.PublicKey)
    }

    /// The bits of an RSA modulus.
    static let rsaBits = 2_048...8_192

    /// The `kid`; `nil` for a key that tokens need not name. RFC 7517 §4.5.
    package let id: String?
    private let key: PublicKey

    init(_ key: PublicKey, id: String?) {
        self.key = key
        self.id = id
    }

    package var algorithm: TokenAlgorithm {
        switch key {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
        }
    }

    /// Whether the signature is valid. RFC 7515 §5.2.
    ///
    /// Event loops do not call this, because an RSA key may be large.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - text: The first two parts and the dot between them.
    func isValid(_ signature: [UInt8], of text: Substring) -> Bool {
        let signed = Array(text.utf8)
        switch key {
        case .rsa(let key):
            // RSASSA-PKCS1-v1_5, as long as the modulus. RFC 7518 §3.3, RFC 8017 §8.2.2.
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: signed),
                padding: .insecurePKCS1v1_5)
        case .p256(let key):
            // r followed by s, 32 bytes each. RFC 7518 §3.4.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: signed))
        case .ed25519(let key):
            // RFC 8037 §3.1.
            return key.isValidSignature(signature, for: signed)
        }
    }
}
