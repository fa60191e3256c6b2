import Cryptography

/// An API key of the app's backend (`X-API-Key`), stored as a digest.
package struct APIKey: Sendable, Equatable {
    package static let keyBytes = 16
    package static let digestBytes = SHA256.byteCount

    private let digest: [UInt8]

    /// - Parameter text: At least 16 bytes; the configuration refuses shorter keys.
    package init(_ text: String) {
        precondition(text.utf8.count >= Self.keyBytes, "a weak key must be refused where it is read")
        self.init(presented: text)
    }

    /// - Parameter sha256: The key's SHA-256, 32 bytes; nil for any other length.
    package init?(sha256: [UInt8]) {
        guard sha256.count == Self.digestBytes else { return nil }
        digest = sha256
    }

    /// Makes a key from client-supplied text of any length.
    init(presented text: String) { digest = SHA256.hash(Array(text.utf8)) }

    package static func == (a: APIKey, b: APIKey) -> Bool { isEqualInConstantTime(a.digest, b.digest) }

    package func matches(_ text: String) -> Bool { self == APIKey(presented: text) }
}
