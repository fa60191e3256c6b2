import WireProtocol

/// The head of a JWT (RFC 7515 §4), read before a library sees it: jwt-kit 5.7 traps at a number that fits no `Int`.
struct TokenHead {
    /// Which keys may judge it; a key is never used for another algorithm than its own.
    let algorithm: TokenAlgorithm
    /// `kid`: names a key among those there are; nothing is looked up by it anywhere else.
    let keyID: String?

    /// Whole numbers up to here are exact as `Double`, through which jwt-kit reads them.
    private static let largestNumber = 9_007_199_254_740_992.0

    /// `nil` for a head that asks for an unknown algorithm or for anything else that would have to be understood.
    ///
    /// Members that mean nothing here are let pass (RFC 7519 §5) unless they are objects or lists: keys and certificates
    /// that came with the token they are to judge.
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
