/// A scanner for JSON text (RFC 8259) that validates each value and returns its range of bytes instead of building it.
struct JSONScanner {
    /// The maximum nesting depth of a value. The scanner stores each level's container type in one bit of a word.
    static let depthLimit = 64
    /// The maximum number of members of an object. A connect command names up to 2,000 channels.
    static let memberLimit = 4_096

    let bytes: ArraySlice<UInt8>
    /// Whether escaped lone surrogates are allowed. `JSONText` refuses to decode such strings.
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

    mutating func skipSpace() {
        while !isAtEnd {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Reads the members of the object at the current position, in order.
    ///
    /// - Throws: `.tooMany` if there are more than `limit` members. The rest is not read.
    mutating func members(limit: Int = memberLimit) throws(JSONSyntaxError) -> MemberTable {
        var members = MemberTable()
        try walk { (cursor, origin) throws(JSONSyntaxError) in
            try cursor.members(into: &members, from: origin, limit: limit)
        }
        return members
    }

    /// Reads the elements of the array at the current position. The limit works as in `members`.
    mutating func elements(limit: Int = .max) throws(JSONSyntaxError) -> [ArraySlice<UInt8>] {
        var ranges: [Range<Int>] = []
        try walk { (cursor, origin) throws(JSONSyntaxError) in
            try cursor.elements(into: &ranges, from: origin, limit: limit)
        }
        return ranges.map { bytes[$0] }
    }

    mutating func skipValue() throws(JSONSyntaxError) {
        try walk { (cursor, _) throws(JSONSyntaxError) in try cursor.skipValue() }
    }

    /// - Parameter body: Receives a cursor at the current position, and the offset to add to the cursor's positions.
    private mutating func walk(
        _ body: (inout JSONCursor, _ origin: Int) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        let origin = bytes.startIndex
        let (end, failure) = bytes.withUnsafeBytes { raw -> (Int, JSONSyntaxError?) in
            var cursor = JSONCursor(raw, at: position - origin, allowsLoneSurrogates: allowsLoneSurrogates)
            do throws(JSONSyntaxError) {
                try body(&cursor, origin)
                return (cursor.position, nil)
            } catch {
                return (cursor.position, error)
            }
        }
        position = origin + end
        if let failure { throw failure }
    }
}
