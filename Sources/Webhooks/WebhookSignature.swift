import Crypto
import FoundationEssentials

/// Signs deliveries in the form of Standard Webhooks: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.
package struct WebhookSignature: Sendable {
    private let key: SymmetricKey

    /// - Parameter secret: `whsec_` and Base64 stands for the bytes that it encodes, everything else for itself.
    package init(secret: String) {
        if secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))), !bytes.isEmpty {
            key = SymmetricKey(data: bytes)
        } else {
            key = SymmetricKey(data: Data(secret.utf8))
        }
    }

    /// - Parameter timestamp: Seconds since 1970.
    package func header(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        return "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
    }
}
