/// Compares texts by their UTF-8 bytes, ignoring canonical equivalence and locale. Works on eight bytes at a time,
/// because every lookup and every sorted list compares ids or names.
package enum ByteOrder {
    package static func areEqual(_ a: String, _ b: String) -> Bool {
        withBytes(a, b) { a, b in a.count == b.count && firstDifference(a, b) == nil }
    }

    package static func precedes(_ a: String, _ b: String) -> Bool { compare(a, b) < 0 }

    /// - Returns: A negative number if `a` sorts before `b`, 0 if the bytes are equal, a positive number otherwise.
    package static func compare(_ a: String, _ b: String) -> Int {
        withBytes(a, b) { a, b in
            guard let place = firstDifference(a, b) else { return a.count - b.count }
            return Int(a[place]) - Int(b[place])
        }
    }

    package static func isPrefix(_ prefix: String, of text: String) -> Bool {
        withBytes(prefix, text) { prefix, text in prefix.count <= text.count && firstDifference(prefix, text) == nil }
    }

    /// - Returns: The index of the first byte that differs; `nil` if the shorter text is a prefix of the longer one.
    private static func firstDifference(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int? {
        let count = min(a.count, b.count)
        var place = 0
        while place + 8 <= count {
            let difference =
                a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                ^ b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if difference != 0 { return place + difference.littleEndian.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < count {
            if a[place] != b[place] { return place }
            place += 1
        }
        return nil
    }

    private static func withBytes<Result>(
        _ a: String, _ b: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let fast = a.utf8.withContiguousStorageIfAvailable { a in
            b.utf8.withContiguousStorageIfAvailable { b in
                body(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
            }
        }
        if case .some(.some(let result)) = fast { return result }
        return Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { b in body(a, b) } }
    }
}
