import Crypto
import FoundationEssentials

/// Signs deliveries in the form of Standard Webhooks: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.
package struct WebhookSignature: Sendable {
    private let keys: [SymmetricKey]

    /// - Parameters:
    ///   - secret: `whsec_` and Base64 stands for the bytes that it encodes, everything else for itself.
    ///   - previous: Another one that is good still.
    package init(secret: String, previous: String? = nil) {
        keys = ([secret] + [previous].compactMap(\.self)).map(Self.key)
    }

    private static func key(_ secret: String) -> SymmetricKey {
        if secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))), !bytes.isEmpty {
            return SymmetricKey(data: bytes)
        }
        return SymmetricKey(data: Data(secret.utf8))
    }

    /// One signature for each secret, with spaces between them; who knows one of the secrets finds its own.
    ///
    /// - Parameter timestamp: Seconds since 1970.
    package func header(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        return keys.map { key in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
        }.joined(separator: " ")
    }
}
