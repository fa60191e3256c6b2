import RawLoad
import Testing

@Suite struct FrameReaderTests {
    private func frames(_ pieces: [[UInt8]]) throws -> [[UInt8]] {
        var reader = FrameReader()
        var found: [[UInt8]] = []
        for piece in pieces {
            try piece.withUnsafeBytes { try reader.read($0) { opcode, payload in found.append([opcode] + payload) } }
        }
        return found
    }

    @Test(arguments: [1, 2, 3, 7, 400, 100_000])
    func `frames are read completely, however the bytes are split`(size: Int) throws {
        let payloads = [0, 5, 125, 126, 300, 65_535, 65_536].map { Array(repeating: UInt8($0 & 0x7F), count: $0) }
        let bytes = payloads.flatMap { ClientFrame.unmasked($0) }
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        #expect(try frames(pieces) == payloads.map { [1] + $0 })
    }

    @Test func `frames that a server must not send are reported`() {
        #expect(throws: FrameReader.Failure.masked) { try frames([ClientFrame.text([1], mask: 7)]) }
        #expect(throws: FrameReader.Failure.unexpected(firstByte: 0x01)) { try frames([[0x01, 0x00]]) }
        #expect(throws: FrameReader.Failure.unexpected(firstByte: 0xC1)) { try frames([[0xC1, 0x00]]) }
        #expect(throws: FrameReader.Failure.tooLong(1 << 40)) { try frames([[0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]]) }
    }

    @Test func `every marker in a payload is found, with its number`() {
        let payload = Array("{\(Marker.text(0))}\n{\(Marker.text(12_345_678))}~belfry12".utf8)
        var found: [Int] = []
        payload.withUnsafeBytes { Marker.forEach(in: $0) { found.append($0) } }
        #expect(found == [0, 12_345_678])
    }
}
