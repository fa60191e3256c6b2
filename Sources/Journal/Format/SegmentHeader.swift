/// The first bytes of a segment, one file of the journal.
///
///     magic: 8 bytes "BELFRYJL" | version: u32le | record version: u32le | salt: u64le | first: u64le | crc32c: u32le
///
/// `salt` is random and goes into every frame's checksum, so that what an older file left on the disk is never taken for
/// a frame of this one. `first` is the sequence number of the first frame.
struct SegmentHeader: Equatable, Sendable {
    static let size = 36
    static let version: UInt32 = 1
    private static let magic = Array("BELFRYJL".utf8)

    var recordVersion: UInt32
    var salt: UInt64
    var first: UInt64

    enum Problem: Error, Equatable, Sendable {
        case damaged
        /// Written by a newer server.
        case version(UInt32)
    }

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: recordVersion)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: first)
        bytes.append(littleEndian: Self.checksum(bytes[...]))
        return bytes
    }

    init(recordVersion: UInt32, salt: UInt64, first: UInt64) {
        self.recordVersion = recordVersion
        self.salt = salt
        self.first = first
    }

    /// - Parameter recordVersions: Those that this server can read.
    init(_ bytes: [UInt8], recordVersions: ClosedRange<UInt32>) throws(Problem) {
        guard bytes.count >= Self.size, bytes.starts(with: Self.magic),
            Self.checksum(bytes[..<(Self.size - 4)]) == bytes.littleEndian(at: Self.size - 4)
        else { throw .damaged }
        let version: UInt32 = bytes.littleEndian(at: 8)
        guard version == Self.version else { throw .version(version) }
        recordVersion = bytes.littleEndian(at: 12)
        guard recordVersions.contains(recordVersion) else { throw .version(recordVersion) }
        salt = bytes.littleEndian(at: 16)
        first = bytes.littleEndian(at: 24)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = CRC32C()
        bytes.withUnsafeBytes { crc.add($0) }
        return crc.value
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// - Precondition: The bytes are there.
    func littleEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
        withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
    }
}
