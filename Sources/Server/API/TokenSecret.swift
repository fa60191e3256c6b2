import Cryptography

/// The secret that signs and verifies users' tokens with HS256 (RFC 7518 §3.2).
struct TokenSecret: Sendable {
    private static let header = Base64URL.text(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

    private let key: HMACKey

    init(_ secret: [UInt8]) { key = HMACKey(secret) }

    /// Whether the HS256 signature is valid, in constant time. RFC 7515 §5.2.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - text: The first two parts and the dot between them.
    func isValid(_ signature: [UInt8], of text: Substring) -> Bool {
        key.isValid(signature, for: text.utf8)
    }

    /// Returns a token with these claims. RFC 7515 §5.1.
    ///
    /// - Parameter claims: A JSON object.
    func token(_ claims: [UInt8]) -> String {
        let text = Self.header + "." + Base64URL.text(claims)
        return text + "." + Base64URL.text(key.code(for: text.utf8))
    }
}
