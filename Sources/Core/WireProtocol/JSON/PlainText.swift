/// Finds runs of plain text in a JSON string: text without quotation marks, backslashes or control characters.
///
/// Most strings are a single run, so runs are scanned eight bytes at a time.
enum PlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Returns: The end of the run that begins at `start`, and whether the run is ASCII.
    static func run(in bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, isASCII: Bool) {
        var index = start
        var seen: UInt64 = 0
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let stops = lessThanSpace(word) | equal(word, UInt8(ascii: "\"")) | equal(word, UInt8(ascii: "\\"))
            if stops != 0 {
                // Only the lowest marked byte is reliable; higher marks may be caused by borrows.
                let count = stops.trailingZeroBitCount / 8
                seen |= word & (UInt64(1) << UInt64(8 * count) &- 1)
                return (index + count, seen & highBits == 0)
            }
            seen |= word
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            seen |= UInt64(byte)
            index += 1
        }
        return (index, seen & highBits == 0)
    }

    /// Sets the highest bit of each byte below 0x20.
    private static func lessThanSpace(_ word: UInt64) -> UInt64 { (word &- ones &* 0x20) & ~word & highBits }

    private static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ ones &* UInt64(byte)
        return (difference &- ones) & ~difference & highBits
    }
}
