/// An in-place scanner for JSON text (RFC 8259), used by `JSONScanner`. The cost per byte matters, because a request
/// can be refused only after all of it has been scanned.
///
/// It is strict: no trailing commas, no leading zeros, and no control characters, lone surrogates or invalid UTF-8 in
/// strings. Nesting is limited and does not use the stack.
struct JSONCursor {
    /// The text, which must outlive the cursor.
    private let bytes: UnsafeRawBufferPointer
    /// Whether lone escaped surrogates are allowed.
    private let allowsLoneSurrogates: Bool
    /// The position of the next byte, up to the number of bytes.
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int, allowsLoneSurrogates: Bool) {
        self.bytes = bytes
        self.position = position
        self.allowsLoneSurrogates = allowsLoneSurrogates
    }

    private var isAtEnd: Bool { position >= bytes.count }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func failure() -> JSONSyntaxError { isAtEnd ? .unexpectedEnd : .unexpectedByte(at: position) }

    private mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard current == byte else { throw failure() }
        position += 1
    }

    /// - Returns: False, without moving, if the next byte is a different one.
    private mutating func consume(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    // MARK: Containers

    /// Reads the positions of the members of the object at the current position, in order.
    ///
    /// - Parameters:
    ///   - origin: An offset added to the positions in the table.
    ///   - limit: The maximum number of members; reading fails at the first one beyond it.
    mutating func members(
        into members: inout MemberTable, from origin: Int, limit: Int
    ) throws(JSONSyntaxError) {
        guard current == UInt8(ascii: "{") else { throw isAtEnd ? .unexpectedEnd : .notAnObject }
        position += 1
        skipSpace()
        if consume(UInt8(ascii: "}")) { return }
        while true {
            skipSpace()
            let name = position
            let isPlain = try skipString()
            let nameEnd = position
            guard members.count < limit else { throw .tooMany(limit: limit) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let value = position
            try skipValue()
            members.append(
                MemberTable.Member(
                    name: origin + name..<origin + nameEnd, value: origin + value..<origin + position, isPlain: isPlain)
            )
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            return try expect(UInt8(ascii: "}"))
        }
    }

    /// Reads the positions of the elements of the array at the current position, in order. The parameters are those of
    /// `members`.
    mutating func elements(
        into elements: inout [Range<Int>], from origin: Int, limit: Int
    ) throws(JSONSyntaxError) {
        guard consume(UInt8(ascii: "[")) else { throw .wrongType(field: "array") }
        skipSpace()
        if consume(UInt8(ascii: "]")) { return }
        while true {
            skipSpace()
            guard elements.count < limit else { throw .tooMany(limit: limit) }
            let start = position
            try skipValue()
            elements.append(origin + start..<origin + position)
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            return try expect(UInt8(ascii: "]"))
        }
    }

    mutating func skipValue() throws(JSONSyntaxError) {
        var depth = 0
        // Bit n is set if the container at depth n + 1 is an object; otherwise it is an array.
        var objects: UInt64 = 0
        while true {
            skipSpace()
            var closedContainer = false
            switch current {
            case UInt8(ascii: "{"):
                position += 1
                try Self.deepen(&depth)
                objects |= 1 << UInt64(depth - 1)
                skipSpace()
                if consume(UInt8(ascii: "}")) {
                    closedContainer = true
                } else {
                    try skipKey()
                    continue
                }
            case UInt8(ascii: "["):
                position += 1
                try Self.deepen(&depth)
                objects &= ~(1 << UInt64(depth - 1))
                skipSpace()
                if consume(UInt8(ascii: "]")) { closedContainer = true } else { continue }
            default:
                try skipScalar()
            }
            if closedContainer { depth -= 1 }
            // After a value, close the containers that end here, or continue with the next value.
            while true {
                if depth == 0 { return }
                let inObject = objects & (1 << UInt64(depth - 1)) != 0
                skipSpace()
                if consume(UInt8(ascii: ",")) {
                    skipSpace()
                    if inObject { try skipKey() }
                    break
                }
                try expect(inObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                depth -= 1
            }
        }
    }

    private static func deepen(_ depth: inout Int) throws(JSONSyntaxError) {
        guard depth < JSONScanner.depthLimit else { throw .tooDeep(limit: JSONScanner.depthLimit) }
        depth += 1
    }

    private mutating func skipKey() throws(JSONSyntaxError) {
        try skipString()
        skipSpace()
        try expect(UInt8(ascii: ":"))
    }

    // MARK: Scalars

    private mutating func skipScalar() throws(JSONSyntaxError) {
        switch current {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONSyntaxError) {
        for offset in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[offset]) }
    }

    /// - Returns: Whether the string is ASCII without escapes, so that its bytes are its text.
    @discardableResult
    private mutating func skipString() throws(JSONSyntaxError) -> Bool {
        let start = position
        try expect(UInt8(ascii: "\""))
        var isASCII = true
        var isEscaped = false
        while true {
            let (end, isPlain) = PlainText.run(in: bytes, from: position)
            position = end
            isASCII = isASCII && isPlain
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                // RFC 8259 §8.1. Check unused strings too, because they are passed on as raw JSON.
                guard isASCII || JSONText.isUTF8(UnsafeRawBufferPointer(rebasing: bytes[start..<position])) else {
                    throw .invalidString
                }
                return isASCII && !isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 1
                try skipEscape()
            default: throw failure()
            }
        }
    }

    /// Skips the rest of an escape sequence. Surrogates must be paired, unless lone ones are allowed.
    private mutating func skipEscape() throws(JSONSyntaxError) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let first = try skipCodeUnit()
            guard UTF16.isSurrogate(first), !allowsLoneSurrogates else { return }
            guard UTF16.isLeadSurrogate(first), consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")),
                UTF16.isTrailSurrogate(try skipCodeUnit())
            else { throw isAtEnd ? .unexpectedEnd : .invalidString }
        default: throw failure()
        }
    }

    private mutating func skipCodeUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = JSONText.hexadecimalDigit(byte) else { throw failure() }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard let first = current, Self.isDigit(first) else { throw failure() }
        while let digit = current, Self.isDigit(digit) { position += 1 }
    }

    private mutating func skipNumber() throws(JSONSyntaxError) {
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { try skipDigits() }
        if consume(UInt8(ascii: ".")) { try skipDigits() }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            try skipDigits()
        }
    }
}
