/// A client's key for a request, which makes retrying it safe. draft-ietf-httpapi-idempotency-key-header-07 §2.1.
package struct IdempotencyKey: Hashable, Sendable {
    package static let lengths = 1...255

    /// Printable ASCII from between the quotation marks, with `\"` and `\\` unescaped.
    package let text: String

    package struct Invalid: Error {}

    /// - Parameter values: The values of all fields of that name.
    /// - Returns: `nil` when there is none.
    /// - Throws: `Invalid` for several fields, and for one that is not a valid key.
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
