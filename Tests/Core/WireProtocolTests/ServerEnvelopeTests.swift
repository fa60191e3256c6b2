import ChatModel
import TestSupport
import Testing

@testable import WireProtocol

@Suite struct ServerEnvelopeTests {
    private func read(_ bytes: [UInt8]) throws -> ServerMessage {
        let messages = try ServerMessage.decode(bytes)
        try #require(messages.count == 1)
        return messages[0]
    }

    private let position = RoomPosition(offset: 42, epoch: "e1")

    @Test(
        arguments: [
            (.ping, "{}"),
            (.pong(id: 9), #"{"id":9,"ping":{}}"#),
            (.rpc(id: 7, data: Array(#"{"a":1}"#.utf8)), #"{"id":7,"rpc":{"data":{"a":1}}}"#),
            (.error(id: 7, Rejection(.muted)), #"{"id":7,"error":{"code":1004,"message":"muted"}}"#),
            (
                .error(id: 7, Rejection(.storageUnavailable)),
                #"{"id":7,"error":{"code":1040,"message":"storage unavailable","temporary":true}}"#
            ),
            (.unsubscribed(id: 3), #"{"id":3,"unsubscribe":{}}"#),
            (
                .refreshed(id: 3, client: "c", version: "v", ttl: 60),
                #"{"id":3,"refresh":{"client":"c","version":"v","expires":true,"ttl":60}}"#
            ),
            (
                .publication(room: "general", Publication(offset: 42, data: Array("{}".utf8))),
                #"{"push":{"channel":"general","pub":{"offset":42,"data":{}}}}"#
            ),
            (
                .gained(room: "#ann", at: RoomPosition(offset: 42, epoch: "e1")),
                ##"{"push":{"channel":"#ann","subscribe":{"recoverable":true,"positioned":true,"epoch":"e1","offset":42}}}"##
            ),
            (
                .lost(room: "general", .server),
                #"{"push":{"channel":"general","unsubscribe":{"code":2000,"reason":"server unsubscribe"}}}"#
            ),
            (
                .subscribed(id: 2, SubscribeResult(position: RoomPosition(offset: 42, epoch: "e1"))),
                #"{"id":2,"subscribe":{"recoverable":true,"positioned":true,"epoch":"e1","offset":42}}"#
            ),
        ] as [(ServerEnvelope, String)])
    func `an envelope is written as the Centrifuge protocol requires`(envelope: ServerEnvelope, text: String) {
        #expect(String(decoding: envelope.encoded(as: .json), as: UTF8.self) == text)
    }

    @Test func `a connect reply lists its subscriptions in the given order`() throws {
        let envelope = ServerEnvelope.connected(
            id: 1,
            ConnectResult(
                client: "c", version: "v", session: "s", node: "n", ttl: 3_600, pingSeconds: 25, data: Array("{}".utf8),
                subs: [
                    ("#ann", SubscribeResult(position: position)),
                    ("general", SubscribeResult(position: position, wasRecovering: true, recovered: true)),
                ]))
        let reply = envelope.encoded(as: .json)
        let sub = #"{"recoverable":true,"positioned":true,"epoch":"e1","offset":42"#
        #expect(
            String(decoding: reply, as: UTF8.self)
                == #"{"id":1,"connect":{"client":"c","version":"v","session":"s","node":"n","expires":true,"ttl":3600,"#
                + ##""ping":25,"pong":true,"data":{},"subs":{"#ann":\##(sub)},"general":\##(sub),"was_recovering":true,"##
                + #""recovered":true}}}}"#)
        let expected = ServerMessage.Connected(
            client: "c", ttl: 3_600, pingSeconds: 25, wantsPong: true, data: Array("{}".utf8),
            subs: [
                "#ann": .init(position: position, wasRecovering: false, recovered: false, publications: []),
                "general": .init(position: position, wasRecovering: true, recovered: true, publications: []),
            ])
        #expect(try read(reply) == .reply(id: 1, .connected(expected)))
    }

    @Test(arguments: ErrorCode.allCases)
    func `an error carries its code, its message and a temporary flag`(code: ErrorCode) throws {
        let rejection = Rejection(code, "name \"x\"\n")
        #expect(
            try read(ServerEnvelope.error(id: 5, rejection).encoded(as: .json))
                == .reply(id: 5, .error(code: code.rawValue, message: rejection.message, temporary: code.isTemporary)))
    }

    @Test(arguments: [8, 88] as [UInt64])
    func `a client decodes what the server encodes`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<1_000 {
            let (envelope, message) = json.envelope()
            #expect(try read(envelope.encoded(as: .json)) == message, "seed \(seed)")
        }
    }

    @Test func `several messages in a frame keep their order`() throws {
        let newline = [UInt8(ascii: "\n")]
        let frame = [ServerEnvelope.pong(id: 1), .ping, .unsubscribed(id: 2)].map { $0.encoded(as: .json) }
        #expect(
            try ServerMessage.decode(Array(frame.joined(separator: newline)))
                == [.reply(id: 1, .pong), .ping, .reply(id: 2, .unsubscribed)])
        #expect(try ServerMessage.decode([]) == [])
    }

    @Test(
        arguments: [
            (#"{"push":{"channel":"a","join":{"info":{}}}}"#, .push(channel: "a", .other)),
            (
                #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#,
                .push(channel: "", .disconnected(code: 3001, reason: "shutdown"))
            ),
            (
                #"{"push":{"channel":"a","pub":{"data":{"type":"typing.started"}}}}"#,
                .push(channel: "a", .publication(.init(offset: 0, data: Array(#"{"type":"typing.started"}"#.utf8))))
            ),
            (#"{"id":1,"error":{}}"#, .reply(id: 1, .error(code: 0, message: "", temporary: false))),
            (
                #"{"id":1,"error":{"code":18446744073709551615}}"#,
                .reply(id: 1, .error(code: .max, message: "", temporary: false))
            ),
            (#"{"id":1,"refresh":{"ttl":9}}"#, .reply(id: 1, .refreshed(ttl: nil))),
        ] as [(String, ServerMessage)])
    func `messages of other servers with the same protocol are decoded too`(
        text: String, message: ServerMessage
    ) throws {
        #expect(try read(Array(text.utf8)) == message)
    }

    @Test(arguments: [
        #"{"id":4294967296,"ping":{}}"#, #"{"id":0,"ping":{}}"#, #"{"what":1}"#, "[]", #"{"id":1,"rpc":1}"#,
        #"{"push":{"pub":{"offset":-1}}}"#,
    ])
    func `anything that is not a server's message is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try ServerMessage.decode(Array(text.utf8)) }
    }
}
