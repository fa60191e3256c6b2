import ChatModel
import Gateway
import Testing

@testable import Replication

/// The bytes of each kind of message, made with another Protobuf encoder. Nodes of different versions read the same log.
@Suite struct GoldenMessageTests {
    private static let first = frame(7, [9], by: node("bob", start: 2))

    private static func message(_ term: UInt64, _ content: LogMessage.Content) -> LogMessage {
        LogMessage(
            term: term, writer: ann, firstFrame: 5,
            previous: LogDigest(high: term == 0 ? 0 : 1, low: term == 0 ? 0 : 2),
            recordVersion: 4, content: content)
    }

    private static func frame(_ serial: UInt64, _ payload: [UInt8], by origin: NodeID, refusal: [UInt8]? = nil)
        -> LogFrame
    {
        LogFrame(
            LogFrame.Tag(
                origin: origin, serial: serial,
                id: payload.isEmpty ? MessageID(high: 0, low: 0) : MessageID(high: 3, low: 4),
                refusal: refusal),
            payload: payload)
    }

    private static let messages: [(LogMessage, String)] = [
        (
            message(0, .genesis(cluster: cluster)),
            "120e0a03616e6e110100000000000000180530043a0b0a0967656e6572616c2e31"
        ),
        (
            message(3, .termStart),
            "0803120e0a03616e6e110100000000000000180521010000000000000029020000000000000030044200"
        ),
        (
            message(
                3, .batch([frame(7, [9], by: node("bob", start: 2), refusal: [1, 2]), frame(8, [], by: ann)])),
            "0803120e0a03616e6e110100000000000000180521010000000000000029020000000000000030044a410a2b0a0e0a03626f6211"
                + "020000000000000010071903000000000000002104000000000000002a0201023201090a120a0e0a03616e6e110100000000"
                + "0000001008"
        ),
        (
            message(3, .part(first, index: 1, count: 2)),
            "0803120e0a03616e6e11010000000000000018052101000000000000002902000000000000003004522d0a270a0e0a03626f6211"
                + "0200000000000000100719030000000000000021040000000000000032010910011802"
        ),
    ]

    @Test func `each kind of message of the log has the bytes that all versions read`() throws {
        for (message, hex) in Self.messages {
            let bytes = try Self.bytes(hex)
            #expect(try LogMessage(bytes) == message)
            // A digest follows from the bytes.
            #expect(message.encoded() == bytes)
        }
    }

    @Test func `a beat has the bytes that all versions read`() throws {
        let beat = NodeBeat(
            node: ann, role: .writer, term: 3, appliedFrame: 4, lastMessage: 5, syncedFrame: 3, clock: -7,
            facts: NodeBeat.Facts(
                recordVersion: 4, version: "1.2", settingsDigest: [1, 2], unicodeDigest: 6, address: "ws://ann"))
        let bytes = try Self.bytes(
            "0a0e0a03616e6e110100000000000000100218032004280530043a03312e324202010249060000000000000050f9ffffffffffff"
                + "ffff01620877733a2f2f616e6e7803")
        #expect(try NodeBeat(bytes) == beat)
        #expect(beat.encoded() == bytes)
        // A later field.
        let span = AnnouncedSum(after: 1, through: 2, sum: 3)
        let later = NodeBeat(node: ann, span: span, clock: 0, facts: NodeBeat.Facts(recordVersion: 4))
        #expect(later.encoded().suffix(15) == [0x72, 13, 8, 1, 0x10, 2, 0x19, 3, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `a writer's position has 16 bytes, the greatest digits first`() {
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4]
        let position = WriterPosition(term: 0x102, last: 0x304)
        #expect(position.encoded == bytes)
        #expect(WriterPosition(bytes) == position)
        #expect(WriterPosition([]) == nil)
        #expect(WriterPosition(Array(bytes.dropLast())) == nil)
        #expect(WriterPosition(bytes + [0]) == nil)
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex.utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16))
        }
    }
}
