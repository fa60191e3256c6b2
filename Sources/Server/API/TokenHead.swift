import WireProtocol

/// The header of a JWT. RFC 7515 §4.
struct TokenHead {
    /// Determines which keys may verify the token. A key is never used with an algorithm other than its own.
    let algorithm: TokenAlgorithm
    /// `kid`: selects one of the known keys, and is never used to look up a key elsewhere.
    let keyID: String?

    /// The largest magnitude up to which integers are exact as `Double`. Parsers disagree on larger ones. RFC 8259 §6.
    private static let largestNumber = 9_007_199_254_740_992.0

    /// Fails for an unknown algorithm and for a header with critical extensions (`crit`).
    ///
    /// Ignores unknown members (RFC 7519 §5) unless they are objects or lists, such as keys or certificates shipped
    /// with the token they would verify.
    ///
    /// - Parameter part: The token's first part, base64url without padding.
    init?(_ part: Substring) {
        guard let bytes = Base64URL.bytes(part), let fields = try? JSONFields(bytes),
            let name = try? fields.string("alg"), let algorithm = TokenAlgorithm(rawValue: name),
            fields.keys.allSatisfy({ $0 != "crit" && Self.isPlain(fields.raw($0)) })
        else { return nil }
        do throws(JSONSyntaxError) { keyID = try fields.string("kid") } catch { return nil }
        self.algorithm = algorithm
    }

    private static func isPlain(_ value: ArraySlice<UInt8>?) -> Bool {
        switch value?.first {
        case nil, UInt8(ascii: "\""), UInt8(ascii: "t"), UInt8(ascii: "f"): return true
        case UInt8(ascii: "{"), UInt8(ascii: "["): return false
        default:
            guard let value, let number = Double(String(decoding: value, as: UTF8.self)) else { return false }
            return number.magnitude <= largestNumber
        }
    }
}

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
