/// Signature algorithms. RFC 7518 §3.1, RFC 8037 §3.1.
package enum TokenAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256, using the secret.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
