import ChatDomain
import ChatModel
import Foundation
import Testing

@testable import Records

@Suite struct BlockCoderTests {
    private static func examples() -> [MessageBody] {
        var extras = MessageExtras()
        extras.metaArrays = ["b": ["2", ""], "a": ["1"]]
        extras.files = [MessageFile(id: FileID(high: 1, low: 2), url: "/f", name: "n", size: 3, mimeType: "text/plain")]
        return [
            MessageBody(text: "hé 😀\u{0}", clientID: "c1"), MessageBody(), MessageBody(clientID: ""),
            MessageBody(text: "b", data: "d", extras: extras), MessageBody(text: "c", data: ""),
        ]
    }

    @Test func `every body is read back as it was written`() throws {
        let bytes = try #require(BlockCoder.encode(Self.examples()))
        #expect(try BlockCoder.decode(bytes) == Self.examples())
        #expect(BlockCoder.encode(try BlockCoder.decode(bytes)) == bytes)
    }

    /// The golden file, written once, which every newer server must be able to read.
    @Test func `blocks written by the first version stay readable`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/block-1.bin")
        let golden = Array(try Data(contentsOf: path))
        #expect(try BlockCoder.decode(golden) == Self.examples())
        #expect(BlockCoder.encode(Self.examples()) == golden)
    }

    @Test func `decoding a corrupt block never traps`() throws {
        let bytes = try #require(BlockCoder.encode(Self.examples()))
        for index in bytes.indices {
            for mask in [UInt8(0xFF), 0x01, 0x80] {
                var changed = bytes
                changed[index] ^= mask
                _ = try? BlockCoder.decode(changed)
            }
            _ = try? BlockCoder.decode(Array(bytes[..<index]))
        }
        #expect(throws: RecordError.malformed) { try BlockCoder.decode([0xFF]) }
    }
}
