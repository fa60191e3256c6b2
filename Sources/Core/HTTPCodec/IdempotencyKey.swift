/// A key that a client adds to a request to make retries safe. draft-ietf-httpapi-idempotency-key-header-07 §2.1.
package struct IdempotencyKey: Hashable, Sendable {
    package static let lengths = 1...255

    /// The key, printable ASCII, without quotation marks and with `\"` and `\\` unescaped.
    package let text: String

    package struct Invalid: Error {}

    /// - Parameter values: The values of all Idempotency-Key fields.
    /// - Returns: `nil` if there is no field.
    /// - Throws: `Invalid` if there is more than one field or the key is invalid.
    package static func parse(_ values: [String]) throws(Invalid) -> IdempotencyKey? {
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = IdempotencyKey(value) else { throw Invalid() }
        return key
    }

    /// Parses a structured-field string of 1 to 255 characters, without parameters. RFC 9651 §4.2.5.
    package init?(_ value: String) {
        var bytes = Array(value.utf8)[...]
        guard bytes.popFirst() == UInt8(ascii: "\""), bytes.popLast() == UInt8(ascii: "\"") else { return nil }
        var unescaped: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.popFirst(), escaped == byte || escaped == UInt8(ascii: "\"") else {
                    return nil
                }
                unescaped.append(escaped)
            case UInt8(ascii: "\""): return nil
            case 0x20...0x7E: unescaped.append(byte)
            default: return nil
            }
        }
        guard Self.lengths.contains(unescaped.count) else { return nil }
        text = String(decoding: unescaped, as: UTF8.self)
    }
}
