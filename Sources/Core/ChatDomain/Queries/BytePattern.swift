/// A search for a byte string in linear time, regardless of the input (Knuth–Morris–Pratt).
///
/// Searching bytes is correct for text, because in UTF-8 no character can occur in the middle of another.
struct BytePattern: Hashable {
    private let bytes: [UInt8]
    /// For each place, the length of the longest proper prefix that is also a suffix ending there.
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
