import FoundationEssentials
import WireProtocol

/// The head of a JWT (RFC 7515 §4), read before a library sees it: jwt-kit 5.7 traps at a number that fits no `Int`.
enum TokenHead {
    /// Whole numbers up to here are exact as `Double`, through which jwt-kit reads them.
    private static let largestNumber = 9_007_199_254_740_992.0

    /// Whether a head asks for HMAC-SHA-256 and for nothing else that would have to be understood.
    ///
    /// Members that mean nothing here are let pass (RFC 7519 §5) unless they are objects or lists: keys and certificates,
    /// which no token of a shared secret has.
    ///
    /// - Parameter token: Its first part, base64url without padding.
    static func isAcceptable(_ part: Substring) -> Bool {
        var base64 = part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        base64 += Array(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: String(base64)), let fields = try? JSONFields(Array(data)),
            (try? fields.string("alg")) == "HS256"
        else { return false }
        return fields.keys.allSatisfy { $0 != "crit" && isPlain(fields.raw($0)) }
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
