import TestSupport
import Testing

@testable import WireProtocol

@Suite struct ServerEnvelopeTests {
    private func read(_ bytes: [UInt8]) throws -> ServerMessage {
        let messages = try ServerMessage.decode(bytes)
        try #require(messages.count == 1)
        return messages[0]
    }

    private let position = StreamPosition(offset: 42, epoch: "e1")

    @Test(
        arguments: [
            (ServerEnvelope.ping, "{}"),
            (ServerEnvelope.pong(id: 9), #"{"id":9,"ping":{}}"#),
            (ServerEnvelope.rpc(id: 7, data: Array(#"{"a":1}"#.utf8)), #"{"id":7,"rpc":{"data":{"a":1}}}"#),
            (ServerEnvelope.error(id: 7, Rejection(.muted)), #"{"id":7,"error":{"code":1004,"message":"muted"}}"#),
            (
                ServerEnvelope.error(id: 7, Rejection(.storageUnavailable)),
                #"{"id":7,"error":{"code":1040,"message":"storage unavailable","temporary":true}}"#
            ),
            (ServerEnvelope.unsubscribed(id: 3), #"{"id":3,"unsubscribe":{}}"#),
            (
                ServerEnvelope.refreshed(id: 3, client: "c", version: "v", ttl: 60),
                #"{"id":3,"refresh":{"client":"c","version":"v","expires":true,"ttl":60}}"#
            ),
            (
                ServerEnvelope.push(
                    room: "general", publication: ServerEnvelope.publication(offset: 42, data: Array("{}".utf8))),
                #"{"push":{"channel":"general","pub":{"offset":42,"data":{}}}}"#
            ),
            (
                ServerEnvelope.push(room: "#ann", subscribedAt: StreamPosition(offset: 42, epoch: "e1")),
                ##"{"push":{"channel":"#ann","subscribe":{"recoverable":true,"positioned":true,"epoch":"e1","offset":42}}}"##
            ),
            (
                ServerEnvelope.push(room: "general", unsubscribed: .server),
                #"{"push":{"channel":"general","unsubscribe":{"code":2000,"reason":"server unsubscribe"}}}"#
            ),
            (
                ServerEnvelope.subscribed(id: 2, SubscribeResult(position: StreamPosition(offset: 42, epoch: "e1"))),
                #"{"id":2,"subscribe":{"recoverable":true,"positioned":true,"epoch":"e1","offset":42}}"#
            ),
        ] as [([UInt8], String)])
    func `an envelope is written as the Centrifuge protocol spells it`(bytes: [UInt8], text: String) {
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test func `a connect reply carries its subscriptions in the order given`() throws {
        let reply = ServerEnvelope.connected(
            id: 1,
            ConnectResult(
                client: "c", version: "v", session: "s", node: "n", ttl: 3_600, pingSeconds: 25, data: Array("{}".utf8),
                subs: [
                    ("#ann", SubscribeResult(position: position)),
                    ("general", SubscribeResult(position: position, wasRecovering: true, recovered: true)),
                ]))
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
    func `an error comes back with its code, its words and whether it is temporary`(code: ErrorCode) throws {
        let rejection = Rejection(code, "name \"x\"\n")
        #expect(
            try read(ServerEnvelope.error(id: 5, rejection))
                == .reply(id: 5, .error(code: code.rawValue, message: rejection.message, temporary: code.isTemporary)))
    }

    @Test(arguments: [8, 88] as [UInt64])
    func `what the server writes a client reads`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<1_000 {
            let (bytes, message) = pair(&json)
            #expect(try read(bytes) == message, "seed \(seed)")
        }
    }

    @Test func `several messages of a frame keep their order`() throws {
        let newline = [UInt8(ascii: "\n")]
        let frame = [ServerEnvelope.pong(id: 1), ServerEnvelope.ping, ServerEnvelope.unsubscribed(id: 2)]
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
    func `what another server of the protocol may write is read too`(text: String, message: ServerMessage) throws {
        #expect(try read(Array(text.utf8)) == message)
    }

    @Test(arguments: [
        #"{"id":4294967296,"ping":{}}"#, #"{"id":0,"ping":{}}"#, #"{"what":1}"#, "[]", #"{"id":1,"rpc":1}"#,
        #"{"push":{"pub":{"offset":-1}}}"#,
    ])
    func `what is no server's message is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try ServerMessage.decode(Array(text.utf8)) }
    }

    private func subscription(_ json: inout RandomJSON) -> (SubscribeResult, ServerMessage.Subscribed) {
        var written: [[UInt8]] = []
        var read: [ServerMessage.Publication] = []
        for _ in 0..<Int.random(in: 0...3, using: &json.random) {
            let (offset, data) = (json.random.next(), Array(json.object(depth: 2).utf8))
            written.append(ServerEnvelope.publication(offset: offset, data: data))
            read.append(ServerMessage.Publication(offset: offset, data: data))
        }
        let position = StreamPosition(offset: json.random.next(), epoch: json.random.text(upTo: 4))
        let (wasRecovering, recovered) = (json.random.chance(2), json.random.chance(2))
        return (
            SubscribeResult(
                position: position, wasRecovering: wasRecovering, recovered: recovered, publications: written),
            ServerMessage.Subscribed(
                position: position, wasRecovering: wasRecovering, recovered: recovered, publications: read)
        )
    }

    /// An envelope and what should be read from it.
    private func pair(_ json: inout RandomJSON) -> ([UInt8], ServerMessage) {
        let id = UInt32.random(in: 1...(.max), using: &json.random)
        let data = Array(json.object(depth: 3).utf8)
        let (room, offset) = (json.random.text(upTo: 6), json.random.next())
        let ttl = json.random.chance(2) ? json.random.next() : nil
        switch Int.random(in: 0..<7, using: &json.random) {
        case 0: return (ServerEnvelope.rpc(id: id, data: data), .reply(id: id, .rpc(data: data)))
        case 1:
            let (written, read) = subscription(&json)
            return (ServerEnvelope.subscribed(id: id, written), .reply(id: id, .subscribed(read)))
        case 2:
            let publication = ServerEnvelope.publication(offset: offset, data: data)
            return (
                ServerEnvelope.push(room: room, publication: publication),
                .push(channel: room, .publication(.init(offset: offset, data: data)))
            )
        case 3:
            let position = StreamPosition(offset: offset, epoch: json.random.text(upTo: 4))
            return (
                ServerEnvelope.push(room: room, subscribedAt: position), .push(channel: room, .subscribed(position))
            )
        case 4:
            return (
                ServerEnvelope.push(room: room, unsubscribed: .server),
                .push(channel: room, .unsubscribed(code: 2000, reason: "server unsubscribe"))
            )
        case 5:
            return (
                ServerEnvelope.refreshed(id: id, client: room, version: "", ttl: ttl),
                .reply(id: id, .refreshed(ttl: ttl))
            )
        default:
            let (written, read) = subscription(&json)
            let result = ConnectResult(
                client: room, version: "", session: "", node: "", ttl: ttl, pingSeconds: offset, data: data,
                subs: [(room, written)])
            let connected = ServerMessage.Connected(
                client: room, ttl: ttl, pingSeconds: offset, wantsPong: true, data: data, subs: [room: read])
            return (ServerEnvelope.connected(id: id, result), .reply(id: id, .connected(connected)))
        }
    }
}
