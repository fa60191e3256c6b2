import CISAL

/// The Castagnoli checksum (RFC 3720 §12.1), by the processor's own instruction where it has one.
struct CRC32C {
    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    /// - Parameter bytes: At most 2 GiB.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        // The library reads only; its declaration just does not say so.
        state = crc32_iscsi(UnsafeMutablePointer(mutating: start), Int32(bytes.count), state)
    }

    mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { add($0) }
    }
}
