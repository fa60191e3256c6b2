import Crypto

/// A key of the app's backend (`X-API-Key`): its digest, which is compared in constant time.
package struct APIKey: Sendable, Equatable {
    package static let keyBytes = 16
    package static let digestBytes = SHA256.byteCount

    /// Compared in constant time, as `SymmetricKey` does.
    private let digest: SymmetricKey

    /// - Parameter text: At least 16 bytes; a shorter one is refused where it is configured.
    package init(_ text: String) {
        precondition(text.utf8.count >= Self.keyBytes, "a weak key must be refused where it is read")
        self.init(shown: text)
    }

    /// - Parameter sha256: The key's SHA-256, 32 bytes; nil for any other count.
    package init?(sha256: [UInt8]) {
        guard sha256.count == Self.digestBytes else { return nil }
        digest = SymmetricKey(data: sha256)
    }

    /// What someone shows, of any length.
    init(shown text: String) { digest = SymmetricKey(data: Array(SHA256.hash(data: Array(text.utf8)))) }

    package func matches(_ text: String) -> Bool { self == APIKey(shown: text) }
}
