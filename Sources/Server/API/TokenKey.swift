import Cryptography

/// A public key that verifies users' tokens with its only algorithm (RFC 8725 §3.1).
package struct TokenKey: Sendable {
    /// The bits of an RSA modulus.
    static let rsaBits = 2_048...8_192

    /// The `kid`; `nil` for a key that tokens need not name. RFC 7517 §4.5.
    package let id: String?
    private let key: SignatureKey

    init(_ key: SignatureKey, id: String?) {
        self.key = key
        self.id = id
    }

    package var algorithm: TokenAlgorithm {
        switch key.algorithm {
        case .rsaPKCS1: .rs256
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
        key.isValid(signature, for: Array(text.utf8))
    }
}
