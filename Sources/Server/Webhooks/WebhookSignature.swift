import Cryptography
import FoundationEssentials

/// Signs deliveries as specified by Standard Webhooks: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.
package struct WebhookSignature: Sendable {
    private let keys: [HMACKey]

    /// - Parameters:
    ///   - secret: `whsec_` followed by Base64 is decoded; any other text is used as is.
    ///   - previous: The previous secret, if it is still valid.
    package init(secret: String, previous: String? = nil) {
        keys = ([secret] + [previous].compactMap(\.self)).map(Self.key)
    }

    private static func key(_ secret: String) -> HMACKey {
        if secret.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(secret.dropFirst(6))), !bytes.isEmpty {
            return HMACKey(Array(bytes))
        }
        return HMACKey(Array(secret.utf8))
    }

    /// Returns one signature per secret, separated by spaces. A receiver accepts any that matches.
    ///
    /// - Parameter timestamp: Seconds since 1970.
    package func header(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return keys.map { "v1," + Data($0.code(for: signed)).base64EncodedString() }.joined(separator: " ")
    }

    /// Returns the fields of a signed request with a body of JSON.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func fields(id: String, body: [UInt8], at now: Int64) -> [String] {
        let timestamp = now / 1_000
        return [
            "Content-Type: application/json", "User-Agent: belfry", "Expect:", "webhook-id: \(id)",
            "webhook-timestamp: \(timestamp)",
            "webhook-signature: \(header(id: id, timestamp: timestamp, body: body))",
        ]
    }
}
