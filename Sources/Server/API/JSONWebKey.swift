import Cryptography
import WireProtocol

/// A public key in JSON. RFC 7517 §4, RFC 7518 §6, RFC 8037 §2.
enum JSONWebKey {
    private static let idBytes = 256

    /// Returns ` (kid "…")` for an error message, or an empty string when there is no displayable `kid`.
    static func name(_ json: ArraySlice<UInt8>) -> String {
        guard let id = try? JSONFields(json).string("kid"), id.utf8.count <= idBytes,
            id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return "" }
        return " (kid \"\(id)\")"
    }

    /// - Throws: When the JSON is not a public key of a supported algorithm, or the key has another purpose.
    static func key(_ json: ArraySlice<UInt8>) throws(TokenKeyError) -> TokenKey {
        let fields: JSONFields
        do throws(JSONSyntaxError) { fields = try JSONFields(json) } catch {
            throw TokenKeyError("it is not a JSON object: \(error.closeReason)")
        }
        let id = try text("kid", in: fields)
        if let id, id.isEmpty || id.utf8.count > idBytes {
            throw TokenKeyError("kid must have 1 to \(idBytes) bytes")
        }
        let kind = try text("kty", in: fields)
        if kind == "oct" || fields.raw("k") != nil {
            throw TokenKeyError("kty oct is a shared secret: set it as BELFRY_TOKEN_SECRET instead")
        }
        for member in ["d", "p", "q", "dp", "dq", "qi", "oth"] where fields.raw(member) != nil {
            throw TokenKeyError("it is a private key (\(member)): provide the public one")
        }
        try checkPurpose(fields)
        switch kind {
        case "RSA":
            try checkAlgorithm(.rs256, fields)
            return TokenKey(try rsa(fields), id: id)
        case "EC":
            guard try text("crv", in: fields) == "P-256" else { throw TokenKeyError("crv must be P-256") }
            try checkAlgorithm(.es256, fields)
            let point = try bytes("x", 32, in: fields) + bytes("y", 32, in: fields)
            guard let key = SignatureKey(p256: point) else {
                throw TokenKeyError("x and y are not a point on P-256")
            }
            return TokenKey(key, id: id)
        case "OKP":
            guard try text("crv", in: fields) == "Ed25519" else { throw TokenKeyError("crv must be Ed25519") }
            try checkAlgorithm(.edDSA, fields)
            guard let key = SignatureKey(ed25519: try bytes("x", 32, in: fields)) else {
                throw TokenKeyError("x is not an Ed25519 key")
            }
            return TokenKey(key, id: id)
        default: throw TokenKeyError("kty must be RSA, EC or OKP")
        }
    }

    /// Checks `use` and `key_ops`, if present. RFC 7517 §4.2, §4.3.
    private static func checkPurpose(_ fields: JSONFields) throws(TokenKeyError) {
        if let use = try text("use", in: fields), use != "sig" {
            throw TokenKeyError("use must be sig: other keys do not verify tokens")
        }
        guard fields.raw("key_ops") != nil else { return }
        guard let operations = try? fields.objects("key_ops"),
            operations.contains(where: { $0.elementsEqual(#""verify""#.utf8) })
        else { throw TokenKeyError("key_ops must contain verify") }
    }

    private static func checkAlgorithm(_ algorithm: TokenAlgorithm, _ fields: JSONFields) throws(TokenKeyError) {
        if let name = try text("alg", in: fields), name != algorithm.rawValue {
            throw TokenKeyError("alg of this kty must be \(algorithm.rawValue)")
        }
    }

    private static func rsa(_ fields: JSONFields) throws(TokenKeyError) -> SignatureKey {
        let modulus = Array(try bytes("n", nil, in: fields).drop { $0 == 0 })
        let exponent = Array(try bytes("e", nil, in: fields).drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        let allowed = TokenKey.rsaBits
        guard allowed.contains(bits) else {
            throw TokenKeyError("n has \(bits) bits and needs \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        guard (1...4).contains(exponent.count), let last = exponent.last, last % 2 == 1, exponent != [1] else {
            throw TokenKeyError("e must be an odd number from 3 to 4294967295")
        }
        guard let key = SignatureKey(rsaModulus: modulus, exponent: exponent) else {
            throw TokenKeyError("n and e are not an RSA key")
        }
        return key
    }

    private static func text(_ name: String, in fields: JSONFields) throws(TokenKeyError) -> String? {
        do throws(JSONSyntaxError) { return try fields.string(name) } catch {
            throw TokenKeyError("\(name) is not a string")
        }
    }

    /// - Parameter count: The required number of bytes; `nil` for any.
    private static func bytes(
        _ name: String, _ count: Int?, in fields: JSONFields
    ) throws(TokenKeyError) -> [UInt8] {
        guard let text = try text(name, in: fields), let bytes = Base64URL.bytes(text),
            count == nil || bytes.count == count
        else { throw TokenKeyError("\(name) must be \(count.map { "\($0) bytes of " } ?? "")base64url") }
        return bytes
    }
}
