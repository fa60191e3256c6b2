import FoundationEssentials
import WireProtocol

/// The required issuer and audience of tokens; `nil` accepts any. RFC 7519 §4.1.1, §4.1.3.
package struct TokenRules: Sendable, Equatable {
    package var issuer: String?
    package var audience: String?

    package init(issuer: String? = nil, audience: String? = nil) {
        self.issuer = issuer
        self.audience = audience
    }

    func accept(_ claims: TokenClaims) -> Bool {
        let fields = claims.fields
        if let issuer {
            guard let value = try? fields.string("iss"), Self.isSame(value, issuer) else { return false }
        }
        guard let audience else { return true }
        if let value = try? fields.string("aud") { return Self.isSame(value, audience) }
        guard let list = fields.raw("aud"), let names = try? JSONDecoder().decode([String].self, from: Data(list))
        else { return false }
        return names.contains { Self.isSame($0, audience) }
    }

    /// Compares bytes, because `==` treats canonically equivalent strings as equal.
    private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
}
