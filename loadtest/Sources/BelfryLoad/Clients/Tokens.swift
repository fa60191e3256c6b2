import CLibcrypto
import Foundation

/// Creates users' tokens: JWTs (RFC 7519) signed with HMAC-SHA-256.
struct Tokens: Sendable {
    let secret: String

    func token(for user: String, lifetimeSeconds: Int = 86_400) throws -> String {
        let header = Self.base64URL(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let claims = try JSONEncoder().encode(
            Claims(sub: user, exp: Int(Date().timeIntervalSince1970) + lifetimeSeconds))
        let signed = "\(header).\(Self.base64URL(claims))"
        return "\(signed).\(Self.base64URL(code(of: Array(signed.utf8))))"
    }

    /// HMAC-SHA-256, 32 bytes.
    private func code(of bytes: [UInt8]) -> Data {
        let key = Array(secret.utf8)
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, &code, nil) != nil
        precondition(isDone, "no memory for a token's signature")
        return Data(code)
    }

    private struct Claims: Encodable {
        let sub: String
        let exp: Int
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
