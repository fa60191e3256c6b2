import Glibc

/// Finds bytes in JSON that is not worth decoding.
enum ByteSearch {
    /// Where the first occurrence ends. Nothing before it is likely to hold its first byte, so looking for that is quick.
    static func place(behind marker: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        guard let first = marker.first else { return nil }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
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
    }
}
