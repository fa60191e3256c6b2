/// Character classes and small helpers from RFC 9110 §5.6 and RFC 3986 §2.
enum Grammar {
    /// Returns whether a byte may occur in a token: a method, field name or coding. RFC 9110 §5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), 0x23...0x27, UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x5E...0x60, UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Returns whether a byte may occur in a field value: visible characters, obs-text, space and tab. RFC 9110 §5.5.
    static func isFieldValueByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// - Returns: The digit's value, 0–15; nil if the byte is not a hexadecimal digit.
    static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    /// Parses a number that consists only of decimal digits.
    ///
    /// - Returns: Nil for anything else, including an empty string and numbers above `Int.max`.
    static func decimal(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }

    /// Returns the elements of a comma-separated list, lowercased and trimmed.
    ///
    /// - Returns: All elements. Empty ones are included so that a strict parser can refuse them.
    static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { element in
            let front = element.drop(while: isSpace)
            let length = front.reversed().drop(while: isSpace).count
            return String(decoding: front.prefix(length), as: UTF8.self).lowercased()
        }
    }
}

extension Span where Element == UInt8 {
    func contains(where predicate: (UInt8) -> Bool) -> Bool {
        for index in indices where predicate(self[index]) { return true }
        return false
    }

    /// - Returns: The index of the byte's first occurrence; nil if it does not occur.
    func firstIndex(of byte: UInt8) -> Int? {
        for index in indices where self[index] == byte { return index }
        return nil
    }

    /// The bytes as a string; they are known to be ASCII.
    var text: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// The range without leading and trailing whitespace.
    var contentRange: Range<Int> {
        var lower = 0
        var upper = count
        while lower < upper, Grammar.isSpace(self[lower]) { lower += 1 }
        while upper > lower, Grammar.isSpace(self[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}
