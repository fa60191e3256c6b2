import WireProtocol

/// Why text holds no keys, or a key is not taken. Names keys by place and `kid`, and shows nothing of them.
package struct TokenKeyError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The public keys of a file or of an answer: a JWK set (RFC 7517 §5) or blocks of PEM (RFC 7468).
package enum TokenKeySet {
    /// Of a file or an answer.
    package static let mostBytes = 262_144
    /// More keys than anybody rotates through.
    package static let mostKeys = 100

    /// The keys of a file that is the operator's own: nothing in it is passed over.
    ///
    /// - Throws: For text that holds no keys, and for the first key that cannot be used.
    package static func read(_ bytes: [UInt8]) async throws(TokenKeyError) -> [TokenKey] {
        let isObject = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        guard isObject else { return try await TokenKeyPEM.keys(bytes) }
        let (keys, refused) = try await keys(jwks: bytes)
        if let first = refused.first { throw first }
        return keys
    }

    /// The keys of someone else's set, which may hold others for other purposes (RFC 7517 §5).
    ///
    /// - Returns: Those that judge tokens, and why each of the others does not.
    /// - Throws: For text that is no JWK set, and for one without a key that can be used.
    package static func published(
        _ bytes: [UInt8]
    ) async throws(TokenKeyError) -> (keys: [TokenKey], passedOver: [TokenKeyError]) {
        let (keys, refused) = try await keys(jwks: bytes)
        guard !keys.isEmpty else {
            throw refused.first ?? TokenKeyError("it holds no keys")
        }
        return (keys, refused)
    }

    private static func keys(
        jwks bytes: [UInt8]
    ) async throws(TokenKeyError) -> (keys: [TokenKey], refused: [TokenKeyError]) {
        guard bytes.count <= mostBytes else { throw TokenKeyError("it is larger than \(mostBytes) bytes") }
        let elements: [ArraySlice<UInt8>]?
        do throws(JSONSyntaxError) { elements = try JSONFields(bytes).objects("keys") } catch {
            throw TokenKeyError("it is no JWK set: \(error)")
        }
        guard let elements else { throw TokenKeyError("it is no JWK set: there is no member keys") }
        guard !elements.isEmpty else { throw TokenKeyError("it holds no keys") }
        guard elements.count <= mostKeys else { throw TokenKeyError("it holds more than \(mostKeys) keys") }
        var keys: [TokenKey] = []
        var refused: [TokenKeyError] = []
        for (index, element) in elements.enumerated() {
            do throws(TokenKeyError) {
                let key = try await JSONWebKey.key(element)
                // Which of the two a token means could not be told.
                if key.id != nil, keys.contains(where: { $0.id == key.id && $0.algorithm == key.algorithm }) {
                    throw TokenKeyError("its kid is another key's, too")
                }
                keys.append(key)
            } catch {
                refused.append(TokenKeyError("key \(index + 1)\(JSONWebKey.name(element)): \(error)"))
            }
        }
        return (keys, refused)
    }
}
