import CZlib

/// A checksum of bytes that are added piece by piece.
protocol Checksum {
    init()
    var value: UInt32 { get }
    mutating func add(_ bytes: UnsafeRawBufferPointer)
}

extension Checksum {
    mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { add($0) }
    }
}

/// CRC-32 (RFC 1952 §8), computed by zlib.
package struct CRC32: Checksum {
    private var state: UInt = 0

    package var value: UInt32 { UInt32(truncatingIfNeeded: state) }

    package init() {}

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        // Without an address, zlib would begin again.
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        state = crc32_z(state, start, bytes.count)
    }
}

/// The Castagnoli checksum (RFC 3720 §12.1), of file headers and of frames in files of version 1.
struct CRC32C: Checksum {
    /// The checksums of each byte, followed by up to seven zeros: eight bytes are added at once (Intel's "slicing by
    /// 8").
    private static let table: [UInt32] = {
        var table: [UInt32] = []
        for byte in UInt32(0)..<256 {
            var rest = byte
            for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0x82F6_3B78 : rest >> 1 }
            table.append(rest)
        }
        for index in 0..<7 * 256 {
            let shorter = table[index]
            table.append(table[Int(shorter & 0xFF)] ^ (shorter >> 8))
        }
        return table
    }()

    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    init() {}

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.table.withUnsafeBufferPointer { table in
            var offset = 0
            while bytes.count - offset >= 8 {
                let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                var rest = eight ^ UInt64(state)
                state = 0
                for zeros in (0..<8).reversed() {
                    state ^= table[zeros << 8 | Int(rest & 0xFF)]
                    rest >>= 8
                }
                offset += 8
            }
            for byte in bytes[offset...] { state = table[Int((state ^ UInt32(byte)) & 0xFF)] ^ (state >> 8) }
        }
        self.state = state
    }
}
