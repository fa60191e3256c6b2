import WireProtocol

/// The reason a file has no keys or a key was rejected. Identifies keys by position and `kid`, and reveals nothing else
/// about them.
package struct TokenKeyError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Public keys from a file or an HTTP response: a JWK set (RFC 7517 §5) or PEM blocks (RFC 7468).
package enum TokenKeySet {
    /// The maximum size of a file or response.
    package static let mostBytes = 262_144
    /// The maximum number of keys, more than any rotation needs.
    package static let mostKeys = 100

    /// Returns the keys of the operator's own file, all of which must be usable.
    ///
    /// - Throws: For text without keys, and for the first unusable key.
    package static func read(_ bytes: [UInt8]) throws(TokenKeyError) -> [TokenKey] {
        let isObject = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        guard isObject else { return try TokenKeyPEM.keys(bytes) }
        let (keys, refused) = try keys(jwks: bytes)
        if let first = refused.first { throw first }
        return keys
    }

    /// Returns the keys of a published set, which may also contain keys for other purposes (RFC 7517 §5).
    ///
    /// - Returns: The usable keys, and the reason for skipping each of the others.
    /// - Throws: For text that is not a JWK set, and for a set without usable keys.
    package static func published(
        _ bytes: [UInt8]
    ) throws(TokenKeyError) -> (keys: [TokenKey], skipped: [TokenKeyError]) {
        let (keys, refused) = try keys(jwks: bytes)
        guard !keys.isEmpty else {
            throw refused.first ?? TokenKeyError("it contains no keys")
        }
        return (keys, refused)
    }

    private static func keys(
        jwks bytes: [UInt8]
    ) throws(TokenKeyError) -> (keys: [TokenKey], refused: [TokenKeyError]) {
        guard bytes.count <= mostBytes else { throw TokenKeyError("it is larger than \(mostBytes) bytes") }
        let elements: [ArraySlice<UInt8>]?
        do throws(JSONSyntaxError) { elements = try JSONFields(bytes).objects("keys") } catch {
            throw TokenKeyError("it is not a JWK set: \(error.closeReason)")
        }
        guard let elements else { throw TokenKeyError("it is not a JWK set: keys is missing") }
        guard !elements.isEmpty else { throw TokenKeyError("it contains no keys") }
        guard elements.count <= mostKeys else { throw TokenKeyError("it contains more than \(mostKeys) keys") }
        var keys: [TokenKey] = []
        var refused: [TokenKeyError] = []
        for (index, element) in elements.enumerated() {
            do throws(TokenKeyError) {
                let key = try JSONWebKey.key(element)
                // Tokens could not indicate which of the two they mean.
                if key.id != nil, keys.contains(where: { $0.id == key.id && $0.algorithm == key.algorithm }) {
                    throw TokenKeyError("another key has the same kid")
                }
                keys.append(key)
            } catch {
                refused.append(TokenKeyError("key \(index + 1)\(JSONWebKey.name(element)): \(error)"))
            }
        }
        return (keys, refused)
    }
}
