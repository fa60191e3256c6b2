import Crypto

/// The secret that signs and verifies users' tokens with HS256 (RFC 7518 §3.2).
struct TokenSecret: Sendable {
    private static let header = Base64URL.text(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

    private let key: SymmetricKey

    init(_ secret: [UInt8]) { key = SymmetricKey(data: secret) }

    /// Whether the HS256 signature is valid, in constant time. RFC 7515 §5.2.
    ///
    /// - Parameters:
    ///   - signature: The decoded third part of the token.
    ///   - text: The first two parts and the dot between them.
    func isValid(_ signature: [UInt8], of text: Substring) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: Array(text.utf8), using: key)
    }

    /// Returns a token with these claims. RFC 7515 §5.1.
    ///
    /// - Parameter claims: A JSON object.
    func token(_ claims: [UInt8]) -> String {
        let text = Self.header + "." + Base64URL.text(claims)
        return text + "." + Base64URL.text(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
