/// The header of a segment (a file of the journal), a snapshot or a file of blocks.
///
///     magic: 8 bytes | version: u32le | content version: u32le | salt: u64le | number: u64le | crc32c: u32le
///
/// `salt` is random and part of every frame's checksum, so that remains of an older file on the disk are never mistaken
/// for frames of this one. The header's own checksum is CRC-32C in every version, so that older servers recognize newer
/// files. `number` is the sequence number of the first frame in a segment, or of the last frame covered by a snapshot.
struct FileHeader: Equatable, Sendable {
    enum Kind: Sendable {
        case segment, snapshot, blocks

        fileprivate var magic: [UInt8] {
            switch self {
            case .segment: Array("BELFRYJL".utf8)
            case .snapshot: Array("BELFRYSN".utf8)
            case .blocks: Array("BELFRYBL".utf8)
            }
        }
    }

    static let size = 36
    /// Those that this server reads; it writes the newest. In version 1, the checksum of frames is CRC-32C.
    static let versions: ClosedRange<UInt32> = 1...2

    let kind: Kind
    let version: UInt32
    /// The version of the records or of the pieces of state.
    var contentVersion: UInt32
    var salt: UInt64
    var number: UInt64

    enum Problem: Error, Equatable, Sendable {
        case damaged
        /// A version written by a newer server.
        case version(UInt32)
    }

    func encoded() -> [UInt8] {
        var bytes = kind.magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: contentVersion)
        bytes.append(littleEndian: salt)
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: Self.checksum(bytes[...]))
        return bytes
    }

    init(_ kind: Kind, contentVersion: UInt32, salt: UInt64, number: UInt64) {
        self.kind = kind
        version = Self.versions.upperBound
        self.contentVersion = contentVersion
        self.salt = salt
        self.number = number
    }

    /// - Parameter versions: The content versions that this server can read.
    init(_ kind: Kind, _ bytes: [UInt8], versions: ClosedRange<UInt32>) throws(Problem) {
        self.kind = kind
        guard bytes.count >= Self.size, bytes.starts(with: kind.magic),
            Self.checksum(bytes[..<(Self.size - 4)]) == bytes.littleEndian(at: Self.size - 4)
        else { throw .damaged }
        version = bytes.littleEndian(at: 8)
        guard Self.versions.contains(version) else { throw .version(version) }
        contentVersion = bytes.littleEndian(at: 12)
        guard versions.contains(contentVersion) else { throw .version(contentVersion) }
        salt = bytes.littleEndian(at: 16)
        number = bytes.littleEndian(at: 24)
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

    /// - Precondition: The bytes exist.
    func littleEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
        withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
    }
}
