import ChatModel
import Simulation
import Testing

@testable import Journal

@Suite struct ChecksumTests {
    private func sum<Sum: Checksum>(_ type: Sum.Type, _ pieces: ArraySlice<UInt8>...) -> UInt32 {
        var sum = Sum()
        for piece in pieces { piece.withUnsafeBytes { sum.add($0) } }
        return sum.value
    }

    @Test func `the checksums are those of their standards`() {
        let digits = Array("123456789".utf8)[...]
        #expect(sum(CRC32.self, digits) == 0xCBF4_3926)
        #expect(sum(CRC32C.self, digits) == 0xE306_9283)
        // RFC 3720, B.4.
        #expect(sum(CRC32C.self, ArraySlice(repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(sum(CRC32C.self, ArraySlice(repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(sum(CRC32C.self, Array(0..<32)[...]) == 0x46DD_794E)
    }

    @Test func `bytes may be added in any pieces, also empty ones`() {
        let bytes = (0..<100).map { UInt8($0) }
        for place in 0...100 {
            let (first, rest) = (bytes[..<place], bytes[place...])
            #expect(sum(CRC32.self, first, rest) == sum(CRC32.self, bytes[...]))
            #expect(sum(CRC32C.self, first, rest) == sum(CRC32C.self, bytes[...]))
        }
        #expect(sum(CRC32.self) == 0 && sum(CRC32C.self) == 0)
    }

    // MARK: Files of version 1

    /// Returns a file with another version and frames as version 1 checks them.
    private func rewrite(_ bytes: [UInt8], version: UInt32) throws -> [UInt8] {
        let header = try FileHeader(.segment, bytes, versions: JournalRecovery.recordVersions)
        var old = Array(bytes[..<8])
        old.append(littleEndian: version)
        old += bytes[12..<32]
        old.append(littleEndian: sum(CRC32C.self, old[...]))
        var offset = FileHeader.size
        while let frame = bytes.withUnsafeBytes({ FrameFormat.frame(at: offset, of: $0, in: header) }) {
            let fields = bytes[offset + 8..<frame.payload.upperBound]
            var salt: [UInt8] = []
            salt.append(littleEndian: header.salt)
            old += bytes[offset..<offset + 4]
            old.append(littleEndian: sum(CRC32C.self, salt[...], bytes[offset..<offset + 4], fields))
            old += fields
            offset = frame.payload.upperBound
        }
        return old + bytes[offset...]
    }

    /// Returns a closed journal of one segment with three frames, and the segment's name.
    private func journal() throws -> (SimulatedDisk, String) {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk)
        for _ in 1...3 { try shelf.append() }
        shelf.close()
        return (disk, try #require(try disk.names().first))
    }

    @Test func `a segment of version 1 is read, and continued in the newest version`() throws {
        let (disk, name) = try journal()
        let before = try disk.read(name)
        let old = try rewrite(before, version: 1)
        #expect(old != before)
        disk.tamper(name) { $0 = old }
        let shelf = try Shelf(disk)
        #expect(shelf.log.report.last == 3 && shelf.log.report.cut == nil)
        shelf.close()
        let header = try FileHeader(.segment, try disk.read(name), versions: JournalRecovery.recordVersions)
        #expect(header.version == 2)
    }

    @Test func `a flipped bit in a segment of version 1 is found`() throws {
        let (disk, name) = try journal()
        var old = try rewrite(disk.read(name), version: 1)
        old[FileHeader.size + FrameFormat.headerSize] ^= 1
        disk.tamper(name) { [old] in $0 = old }
        #expect(throws: JournalError.self) { try Shelf(disk) }
    }

    @Test func `a file of a newer version is refused with an explanation, however its frames are checked`() throws {
        let (disk, name) = try journal()
        let newer = try rewrite(disk.read(name), version: 3)
        disk.tamper(name) { $0 = newer }
        let error = #expect(throws: JournalError.self) { try Shelf(disk) }
        #expect(error == .unknownVersion(segment: name, version: 3))
    }
}
