import Glibc

/// Finds bytes in JSON without decoding it.
enum ByteSearch {
    /// Returns the index after the first occurrence of the marker. Searching for its first byte is fast if that byte is
    /// rare.
    static func place(behind marker: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        bytes.withUnsafeBytes { place(behind: marker, in: $0, from: start) }
    }

    static func place(behind marker: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let first = marker.first, let base = bytes.baseAddress else { return nil }
        var index = start
        while index + marker.count <= bytes.count {
            guard let found = memchr(base + index, Int32(first), bytes.count - index) else { return nil }
            let place = UnsafeRawPointer(found) - base
            if place + marker.count <= bytes.count, memcmp(found, marker, marker.count) == 0 {
                return place + marker.count
            }
            index = place + 1
        }
        return nil
    }

    /// Parses digits up to a byte, and advances past that byte.
    ///
    /// - Returns: nil if there are no digits, more than 19, or no such byte after them.
    static func number(in bytes: UnsafeRawBufferPointer, _ index: inout Int, until end: UInt8) -> UInt64? {
        var number: UInt64 = 0
        let start = index
        while index < bytes.count, bytes[index] != end {
            guard (0x30...0x39).contains(bytes[index]), index - start < 19 else { return nil }
            number = number * 10 + UInt64(bytes[index] - 0x30)
            index += 1
        }
        guard index > start, index < bytes.count else { return nil }
        index += 1
        return number
    }
}
