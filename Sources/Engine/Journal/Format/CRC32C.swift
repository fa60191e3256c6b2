import CISAL

/// The Castagnoli checksum (RFC 3720 §12.1), computed with the CPU's instruction where available.
package struct CRC32C {
    private var state: UInt32 = 0xFFFF_FFFF

    package var value: UInt32 { ~state }

    package init() {}

    /// - Parameter bytes: The bytes to add, at most 2 GiB.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        // The library only reads the bytes, although its declaration lacks `const`.
        state = crc32_iscsi(UnsafeMutablePointer(mutating: start), Int32(bytes.count), state)
    }

    mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { add($0) }
    }
}
