/// Where a writer stands: its answer to a probe, and its message to the successor that it chose.
struct WriterPosition: Equatable {
    let term: UInt64
    /// The number of the last message that the writer knows.
    let last: UInt64

    init(term: UInt64, last: UInt64) {
        self.term = term
        self.last = last
    }

    /// - Returns: Nil for anything but 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(term: word(0..<8), last: word(8..<16))
    }

    var encoded: [UInt8] {
        [term, last].flatMap { word in (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
}
