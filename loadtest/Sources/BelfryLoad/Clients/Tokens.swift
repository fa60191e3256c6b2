import Crypto
import Foundation

/// Creates users' tokens: JWTs (RFC 7519) signed with HMAC-SHA-256.
struct Tokens: Sendable {
    let secret: String
    private let key: SymmetricKey

    init(secret: String) {
        self.secret = secret
        key = SymmetricKey(data: Data(secret.utf8))
    }

    func token(for user: String, lifetimeSeconds: Int = 86_400) throws -> String {
        let header = Self.base64URL(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let claims = try JSONEncoder().encode(
            Claims(sub: user, exp: Int(Date().timeIntervalSince1970) + lifetimeSeconds))
        let signed = "\(header).\(Self.base64URL(claims))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)
        return "\(signed).\(Self.base64URL(Data(code)))"
    }

    private struct Claims: Encodable {
        let sub: String
        let exp: Int
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
