/// A validator for UTF-8 that arrives in pieces; it fails at the first invalid byte. RFC 3629 §4.
///
/// Fragments and reads may split a text message anywhere, even inside a scalar. RFC 6455 §8.1 requires failing the
/// connection on invalid UTF-8.
package struct UTF8Validator: Hashable, Sendable {
    /// The number of continuation bytes still missing from the current scalar, 0–3.
    private var missing: UInt8 = 0
    /// The smallest valid value of the next continuation byte: above 0x80 only after E0 and F0 (overlong forms).
    private var lowest: UInt8 = 0x80
    /// The largest valid value: below 0xBF only after ED (surrogates) and F4 (beyond U+10FFFF).
    private var highest: UInt8 = 0xBF

    package init() {}

    /// Whether the bytes so far end with a complete scalar, as a message must.
    package var isComplete: Bool { missing == 0 }

    /// Validates the next bytes.
    ///
    /// - Returns: False if no continuation could make the text valid; the validator is then unusable.
    package mutating func validate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        var offset = 0
        while offset < count {
            if missing == 0 {
                while count - offset >= 8,
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    offset += 8
                }
                guard offset < count else { break }
                guard beginScalar(with: bytes[offset]) else { return false }
            } else {
                guard bytes[offset] >= lowest, bytes[offset] <= highest else { return false }
                lowest = 0x80
                highest = 0xBF
                missing -= 1
            }
            offset += 1
        }
        return true
    }

    /// Returns whether `bytes` are complete, valid UTF-8. Runs at several gigabytes per second.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes)) != nil
    }

    /// - Returns: False if no scalar starts with `byte`.
    private mutating func beginScalar(with byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xE1...0xEC, 0xEE...0xEF: missing = 2
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
