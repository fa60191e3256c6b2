/// Functions that encode and decode JSON strings.
package enum JSONText {
    static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.withMemoryRebound(to: UInt8.self) { bytes in
            do {
                _ = try UTF8Span(validating: bytes.span)
                return true
            } catch {
                return false
            }
        }
    }

    /// Decodes a JSON string, including its quotation marks, that `JSONScanner` has validated.
    ///
    /// - Throws: `.invalidString` for a lone surrogate or invalid UTF-8.
    static func string(_ quoted: ArraySlice<UInt8>) throws(JSONSyntaxError) -> String {
        guard quoted.count >= 2, quoted.first == UInt8(ascii: "\"") else { throw .invalidString }
        let inner = quoted.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else {
            guard let text = String(validating: inner, as: UTF8.self) else { throw .invalidString }
            return text
        }
        var units: [UInt8] = []
        units.reserveCapacity(inner.count)
        var index = inner.startIndex
        while index < inner.endIndex {
            let byte = inner[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                continue
            }
            guard index < inner.endIndex else { throw .invalidString }
            let escape = inner[index]
            index += 1
            switch escape {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"): units.append(contentsOf: try scalar(inner, &index).utf8Bytes)
            default: units.append(escape)
            }
        }
        guard let text = String(validating: units, as: UTF8.self) else { throw .invalidString }
        return text
    }

    private static func unit(_ bytes: ArraySlice<UInt8>, _ index: inout Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard index < bytes.endIndex, let digit = hexadecimalDigit(bytes[index]) else { throw .invalidString }
            unit = unit << 4 | digit
            index += 1
        }
        return unit
    }

    /// Decodes a `\uXXXX` escape or a surrogate pair. `index` is after the first `u`.
    private static func scalar(
        _ bytes: ArraySlice<UInt8>, _ index: inout Int
    ) throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try unit(bytes, &index)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, index + 1 < bytes.endIndex, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { throw .invalidString }
        index += 2
        let second = try unit(bytes, &index)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
        else { throw .invalidString }
        return scalar
    }

    /// Appends the text in quotation marks. Escapes control characters, quotation marks and backslashes, and copies the
    /// rest.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            let utf8 = UnsafeRawBufferPointer(utf8)
            var position = 0
            while position < utf8.count {
                let end = PlainText.run(in: utf8, from: position).end
                bytes.append(contentsOf: utf8[position..<end])
                if end < utf8.count { escape(utf8[end], to: &bytes) }
                position = end + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes += "u00".utf8
            bytes.append(digit(byte >> 4))
            bytes.append(digit(byte & 0xF))
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}

extension Unicode.Scalar {
    fileprivate var utf8Bytes: UTF8.EncodedScalar { UTF8.encode(self) ?? UTF8.encodedReplacementCharacter }
}
