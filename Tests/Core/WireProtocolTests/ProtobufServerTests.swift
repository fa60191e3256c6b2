import ChatModel
import TestSupport
import Testing

@testable import WireProtocol

/// The bytes in these tables were written by Google's Python runtime from `client.proto`.
@Suite struct ProtobufServerTests {
    private static let position = RoomPosition(offset: 42, epoch: "e1")
    private static let recovered = SubscribeResult(
        position: position, wasRecovering: true, recovered: true,
        publications: [
            Publication(offset: 42, data: Array(#"{"a":1}"#.utf8)), Publication(data: Array("{}".utf8)),
        ])

    @Test(
        arguments: [
            (.ping, "00"), (.pong(id: 9), "0408096200"),
            (.rpc(id: 7, data: Array(#"{"a":1}"#.utf8)), "0d08076a090a077b2261223a317d"),
            (.error(id: 7, Rejection(.muted)), "0e0807120a08ec0712056d75746564"),
            (
                .error(id: 7, Rejection(.storageUnavailable, retryAfterMilliseconds: 100)),
                "1e0807121a089008121373746f7261676520756e617661696c61626c651801"
            ),
            (.unsubscribed(id: 3), "0408033a00"),
            (.refreshed(id: 3, client: "c", version: "v", ttl: 60), "0e0803720a0a01631201761801203c"),
            (.refreshed(id: 3, client: "c", version: "v", ttl: nil), "0a080372060a0163120176"),
            (.refreshed(id: 3, client: "c", version: "v", ttl: .max), "120803720e0a0163120176180120ffffffff0f"),
            (
                .publication(room: "general", Publication(offset: 42, data: Array("{}".utf8))),
                "132211120767656e6572616c220622027b7d302a"
            ),
            (
                .publication(room: "general", Publication(data: Array("{}".utf8))),
                "11220f120767656e6572616c220422027b7d"
            ),
            (.gained(room: "#ann", at: position), "142212120423616e6e4a0a080122026531282a3001"),
            (
                .lost(room: "general", .server),
                "242222120767656e6572616c3a1710d00f1a1273657276657220756e737562736372696265"
            ),
            (.subscribed(id: 2, SubscribeResult(position: position)), "0e0802320a180132026531482a5001"),
            (
                .subscribed(id: 2, recovered),
                "25080232211801320265313a0b22077b2261223a317d302a3a0422027b7d4001482a50016001"
            ),
            (
                .connected(
                    id: 1,
                    ConnectResult(
                        client: "c", version: "v", session: "s", node: "n", ttl: 3_600, pingSeconds: 25,
                        data: Array("{}".utf8),
                        subs: [("#ann", SubscribeResult(position: position)), ("general", recovered)])),
                "5f08012a5b0a0163120176180120901c2a027b7d32120a0423616e6e120a180132026531482a5001322c0a0767656e6572616c"
                    + "12211801320265313a0b22077b2261223a317d302a3a0422027b7d4001482a50016001381940014a017352016e"
            ),
        ] as [(ServerEnvelope, String)])
    func `an envelope is encoded as protocol buffers`(envelope: ServerEnvelope, bytes: String) {
        #expect(hex(envelope.encoded(as: .protobuf)) == bytes)
    }

    @Test(arguments: [8, 88] as [UInt64])
    func `both forms of an envelope are equivalent`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<1_000 {
            let (envelope, message) = json.envelope()
            #expect(try ServerMessage.decode(envelope.encoded(as: .json)) == [message], "seed \(seed)")
            #expect(ServerMessage.decode(protobuf: envelope.encoded(as: .protobuf)) == [message], "seed \(seed)")
        }
    }

    @Test func `several envelopes can follow each other`() {
        let frame = [ServerEnvelope.pong(id: 1), .ping, .unsubscribed(id: 2)].flatMap { $0.encoded(as: .protobuf) }
        #expect(
            ServerMessage.decode(protobuf: frame) == [.reply(id: 1, .pong), .ping, .reply(id: 2, .unsubscribed)])
    }

    /// At each level around the data, a length takes one more byte from 128, 16,384 and 2,097,152 on.
    @Test(arguments: [0, 90, 16_200, 2_097_000])
    func `data of any size is complete`(size: Int) {
        for size in size..<size + 170 {
            let data = [UInt8](repeating: 0x61, count: size)
            let envelope = ServerEnvelope.publication(room: "general", Publication(offset: 1, data: data))
            #expect(
                ServerMessage.decode(protobuf: envelope.encoded(as: .protobuf))
                    == [.push(channel: "general", .publication(.init(offset: 1, data: data)))], "\(size)")
            guard size < 20_000 else { return }
        }
    }
}
