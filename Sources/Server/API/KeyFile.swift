import WireProtocol

/// The format of a file of server keys, a JSON array:
///
///     [{"id": "backend", "key": "…" | "sha256": "64 hex digits", "scopes": ["read", "write"], "expires_at": 1790000000000}]
///
/// `expires_at` is in milliseconds since 1970 and optional; all other members are required, and no others are
/// allowed.
package enum KeyFile {
    package static let mostKeys = 100
    package static let mostBytes = 65_536
    private static let members: Set<String> = ["id", "key", "sha256", "scopes", "expires_at"]

    /// The problem, and the 1-based position of the key in the array. Never contains any part of the key.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package static func keys(_ bytes: [UInt8]) throws(Invalid) -> [NamedKey] {
        guard let elements = try? JSONFields.array(bytes) else {
            throw Invalid(description: "it is not a JSON array of keys")
        }
        guard elements.count <= mostKeys else { throw Invalid(description: "it contains more than \(mostKeys) keys") }
        var keys: [NamedKey] = []
        for (index, element) in elements.enumerated() {
            do throws(Invalid) {
                let key = try Self.key(element)
                guard !keys.contains(where: { $0.id == key.id }) else {
                    throw Invalid(description: "another key has the same id")
                }
                guard !keys.contains(where: { $0.key == key.key }) else {
                    throw Invalid(description: "another entry has the same key")
                }
                keys.append(key)
            } catch {
                throw Invalid(description: "key \(index + 1): \(error)")
            }
        }
        return keys
    }

    private static func key(_ element: ArraySlice<UInt8>) throws(Invalid) -> NamedKey {
        guard let fields = try? JSONFields(element) else { throw Invalid(description: "it is not a JSON object") }
        // An unknown name may be a misplaced key, so the error does not repeat it.
        guard fields.keys.allSatisfy(members.contains) else {
            throw Invalid(
                description: "it has an unknown member; the members are \(members.sorted().joined(separator: ", "))")
        }
        guard let id = try? fields.string("id"), (1...64).contains(id.utf8.count), id.utf8.allSatisfy(isIDByte) else {
            throw Invalid(description: "id must match [A-Za-z0-9_.-]{1,64}")
        }
        return NamedKey(
            id: id, key: try secret(fields), scopes: try scopes(fields), expiresAt: try expiry(fields))
    }

    private static func secret(_ fields: JSONFields) throws(Invalid) -> APIKey {
        switch (fields.raw("key"), fields.raw("sha256")) {
        case (_?, nil):
            guard let text = try? fields.string("key"), text.utf8.count >= APIKey.keyBytes else {
                throw Invalid(description: "key must have at least \(APIKey.keyBytes) bytes")
            }
            return APIKey(text)
        case (nil, _?):
            guard let text = try? fields.string("sha256"), let bytes = hex(text), let key = APIKey(sha256: bytes) else {
                throw Invalid(description: "sha256 must have \(2 * APIKey.digestBytes) hexadecimal digits")
            }
            return key
        default: throw Invalid(description: "exactly one of key and sha256 is required")
        }
    }

    private static func scopes(_ fields: JSONFields) throws(Invalid) -> Set<KeyScope> {
        let all = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
        let invalid = Invalid(description: "scopes must be a list of \(all), each once and at least one")
        guard let texts = try? fields.objects("scopes"), !texts.isEmpty else { throw invalid }
        let scopes = texts.compactMap { text in
            KeyScope.allCases.first { text.elementsEqual("\"\($0.rawValue)\"".utf8) }
        }
        guard scopes.count == texts.count, Set(scopes).count == texts.count else { throw invalid }
        return Set(scopes)
    }

    private static func expiry(_ fields: JSONFields) throws(Invalid) -> Int64? {
        guard fields.raw("expires_at") != nil else { return nil }
        guard let value = try? fields.unsigned("expires_at"), let time = Int64(exactly: value),
            // Milliseconds, not seconds: a time in seconds would be in 1970, and the key would already have expired.
            time >= 100_000_000_000
        else { throw Invalid(description: "expires_at must be milliseconds since 1970") }
        return time
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func hex(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).reduce(into: [UInt8]?([])) { bytes, index in
            guard let high = digits[index], let low = digits[index + 1] else { return bytes = nil }
            bytes?.append(UInt8(high << 4 | low))
        }
    }
}
