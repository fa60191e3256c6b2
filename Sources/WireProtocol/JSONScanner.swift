/// Walks over JSON text (RFC 8259) without building it: every value is checked and told as a range of bytes.
///
/// Strict: no trailing commas, no leading zeros, no controls, lone surrogates or broken UTF-8 in strings. Nesting is bounded and costs no stack.
struct JSONScanner {
    /// The nesting of one value; a container type per bit of a word.
    static let depthLimit = 64
    /// The members of an envelope's object; a connect command names up to 2,000 channels.
    static let memberLimit = 4_096

    let bytes: ArraySlice<UInt8>
    /// Whether an escaped surrogate may stand without its other half; `JSONText` reads no such text.
    let allowsLoneSurrogates: Bool
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>, allowsLoneSurrogates: Bool = false) {
        self.init(bytes, at: bytes.startIndex, allowsLoneSurrogates: allowsLoneSurrogates)
    }

    init(_ bytes: ArraySlice<UInt8>, at position: Int, allowsLoneSurrogates: Bool = false) {
        self.bytes = bytes
        self.position = position
        self.allowsLoneSurrogates = allowsLoneSurrogates
    }

    var isAtEnd: Bool { position >= bytes.endIndex }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func failure() -> JSONSyntaxError {
        isAtEnd ? .unexpectedEnd : .unexpectedByte(at: position - bytes.startIndex)
    }

    private mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard current == byte else { throw failure() }
        position += 1
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// The members of the object that starts here, in order.
    mutating func members() throws(JSONSyntaxError) -> MemberTable {
        guard current == UInt8(ascii: "{") else { throw isAtEnd ? .unexpectedEnd : .notAnObject }
        position += 1
        var members = MemberTable()
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            let nameStart = position
            let isPlain = try skipString()
            let name = nameStart..<position
            guard members.count < Self.memberLimit else { throw .tooMany(limit: Self.memberLimit) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let valueStart = position
            try skipValue()
            members.append(MemberTable.Member(name: name, value: valueStart..<position, isPlain: isPlain))
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            try expect(UInt8(ascii: "}"))
            return members
        }
    }

    /// Passes one value of any type.
    mutating func skipValue() throws(JSONSyntaxError) {
        var depth = 0
        // Bit n tells whether the container at depth n + 1 is an object.
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
                if take(UInt8(ascii: "}")) {
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
                if take(UInt8(ascii: "]")) { closedContainer = true } else { continue }
            default:
                try skipScalar()
            }
            if closedContainer { depth -= 1 }
            // A value has ended: close what it ends, or go on to the next one.
            while true {
                if depth == 0 { return }
                let inObject = objects & (1 << UInt64(depth - 1)) != 0
                skipSpace()
                if take(UInt8(ascii: ",")) {
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
        guard depth < depthLimit else { throw .tooDeep(limit: depthLimit) }
        depth += 1
    }

    private mutating func skipKey() throws(JSONSyntaxError) {
        try skipString()
        skipSpace()
        try expect(UInt8(ascii: ":"))
    }

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

    /// - Returns: Whether the bytes between the quotes are the text: ASCII, nothing escaped.
    @discardableResult
    private mutating func skipString() throws(JSONSyntaxError) -> Bool {
        let start = position
        try expect(UInt8(ascii: "\""))
        var isASCII = true
        var isEscaped = false
        while true {
            let (count, isPlain) = bytes[position...].withUnsafeBytes { PlainText.stretch(of: $0, from: 0) }
            position += count
            isASCII = isASCII && isPlain
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                // RFC 8259 §8.1. Also for strings that nobody reads: they travel on as raw JSON.
                guard isASCII || JSONText.isUTF8(bytes[start..<position]) else { throw .invalidString }
                return isASCII && !isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 1
                try skipEscape()
            default: throw failure()
            }
        }
    }

    /// Passes what follows a backslash; a surrogate only together with its other half.
    private mutating func skipEscape() throws(JSONSyntaxError) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let first = try skipCodeUnit()
            guard UTF16.isSurrogate(first), !allowsLoneSurrogates else { return }
            guard UTF16.isLeadSurrogate(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")),
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

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard let first = current, (0x30...0x39).contains(first) else { throw failure() }
        while let digit = current, (0x30...0x39).contains(digit) { position += 1 }
    }

    private mutating func skipNumber() throws(JSONSyntaxError) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        if take(UInt8(ascii: ".")) { try skipDigits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
    }
}
