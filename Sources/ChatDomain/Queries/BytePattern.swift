/// Looks for some bytes among others in linear time, whatever both are (Knuth, Morris, Pratt).
///
/// UTF-8 finds no character in the middle of another, so bytes will do for text.
struct BytePattern: Hashable {
    private let bytes: [UInt8]
    /// For each place: how many of the first bytes are also the last ones up to there.
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders = [Int](repeating: 0, count: bytes.count)
        var matched = 0
        for index in bytes.indices.dropFirst() {
            while matched > 0, bytes[index] != bytes[matched] { matched = borders[matched - 1] }
            if bytes[index] == bytes[matched] { matched += 1 }
            borders[index] = matched
        }
        self.borders = borders
    }

    var isEmpty: Bool { bytes.isEmpty }

    func occurs(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count <= text.count else { return false }
        guard !bytes.isEmpty else { return true }
        var matched = 0
        for byte in text {
            while matched > 0, byte != bytes[matched] { matched = borders[matched - 1] }
            if byte == bytes[matched] { matched += 1 }
            if matched == bytes.count { return true }
        }
        return false
    }

    func occurs(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { occurs(in: $0) }
    }
}
