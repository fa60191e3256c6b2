import Crypto

/// The key of the app's backend (`X-API-Key`), compared in constant time.
package struct APIKey: Sendable {
    package static let keyBytes = 16

    private let key: SymmetricKey

    /// - Parameter text: At least 16 bytes; a shorter one is refused where it is configured.
    package init(_ text: String) {
        precondition(text.utf8.count >= Self.keyBytes, "a weak key must be refused where it is read")
        key = SymmetricKey(data: Array(text.utf8))
    }

    package func matches(_ text: String) -> Bool {
        guard !text.isEmpty else { return false }
        return SymmetricKey(data: Array(text.utf8)) == key
    }
}
