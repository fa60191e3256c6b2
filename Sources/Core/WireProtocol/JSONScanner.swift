/// Scans JSON text (RFC 8259) without building values: each value is validated and returned as a range of bytes.
struct JSONScanner {
    /// The nesting limit of one value: one bit per level in a word tells the container's type.
    static let depthLimit = 64
    /// The member limit of an object; a connect command names up to 2,000 channels.
    static let memberLimit = 4_096

    let bytes: ArraySlice<UInt8>
    /// Whether lone escaped surrogates are allowed; `JSONText` refuses to read such a string.
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

    /// Reads the members of the object that starts here, in order.
    ///
    /// - Throws: `.tooMany` at the first member beyond the limit; the rest is not read.
    mutating func members(limit: Int = memberLimit) throws(JSONSyntaxError) -> MemberTable {
        var members = MemberTable()
        try walk { (cursor, origin) throws(JSONSyntaxError) in
            try cursor.members(into: &members, from: origin, limit: limit)
        }
        return members
    }

    /// Reads the elements of the array that starts here; the limit is as for `members`.
    mutating func elements(limit: Int = .max) throws(JSONSyntaxError) -> [ArraySlice<UInt8>] {
        var ranges: [Range<Int>] = []
        try walk { (cursor, origin) throws(JSONSyntaxError) in
            try cursor.elements(into: &ranges, from: origin, limit: limit)
        }
        return ranges.map { bytes[$0] }
    }

    /// Skips one value of any type.
    mutating func skipValue() throws(JSONSyntaxError) {
        try walk { (cursor, _) throws(JSONSyntaxError) in try cursor.skipValue() }
    }

    /// - Parameter body: Gets a cursor at this position, and the offset to add to the cursor's positions.
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
