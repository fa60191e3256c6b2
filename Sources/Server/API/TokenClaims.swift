import ChatModel
import WireProtocol

/// The claims of a token that Belfry reads; times in seconds since 1970. RFC 7519 §4.1.
struct TokenClaims {
    let subject: UserID
    let expiry: Double?
    let notBefore: Double?
    let issuedAt: Double?
    /// All claims; `null` counts as absent.
    let fields: JSONFields

    /// `nil` if the subject is not a valid user id, a time is not a number, or a name occurs twice.
    ///
    /// - Parameter part: The token's second part, base64url without padding.
    init?(_ part: Substring) {
        guard let bytes = Base64URL.bytes(part) else { return nil }
        do throws(JSONSyntaxError) {
            fields = try JSONFields(bytes)
            guard let text = try fields.string("sub"), let subject = UserID(text) else { return nil }
            self.subject = subject
            expiry = try fields.number("exp")
            notBefore = try fields.number("nbf")
            issuedAt = try fields.number("iat")
        } catch {
            return nil
        }
    }
}

extension JSONFields {
    fileprivate func number(_ key: String) throws(JSONSyntaxError) -> Double? {
        guard let value = raw(key) else { return nil }
        guard let number = Double(String(decoding: value, as: UTF8.self)), number.isFinite else {
            throw .wrongType(field: key)
        }
        return number
    }
}
