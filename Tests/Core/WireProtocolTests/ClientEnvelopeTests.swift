import ChatModel
import TestSupport
import Testing
import WireProtocol

@Suite struct ClientEnvelopeTests {
    private func decode(_ text: String) throws(JSONSyntaxError) -> [ClientEnvelope] {
        try Array(CommandFrame(Array(text.utf8)))
    }

    @Test(
        arguments: [
            ("{}", 0, .pong), (" {\n} ", 0, .pong),
            (#"{"id":1,"connect":{}}"#, 1, .connect(ConnectRequest(token: nil))),
            (
                #"{"connect":{"token":"t","data":{"subscribe":"none","more":1},"name":"js","version":"5"},"id":4294967295}"#,
                .max, .connect(ConnectRequest(token: "t", subscribe: .none))
            ),
            (
                #"{"id":1,"connect":{"data":null,"subs":{"general":{"recover":true,"offset":18446744073709551615,"epoch":"e"},"#
                    + ##""#ann":{"recover":true},"random":{"recover":false,"offset":3},"off":{}}}}"##,
                1,
                .connect(
                    ConnectRequest(
                        token: nil,
                        positions: [
                            "general": RoomPosition(offset: .max, epoch: "e"),
                            "#ann": RoomPosition(offset: 0, epoch: ""),
                        ]))
            ),
            (#"{"id":2,"subscribe":{"channel":"general"}}"#, 2, .subscribe(SubscribeRequest(channel: "general"))),
            (
                #"{"id":2,"subscribe":{"channel":"general","recover":true,"offset":7,"epoch":"e","flag":2}}"#, 2,
                .subscribe(
                    SubscribeRequest(
                        channel: "general", recover: RoomPosition(offset: 7, epoch: "e"), rejectUnrecovered: true))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"general","offset":7,"epoch":"e","flag":5}}"#, 2,
                .subscribe(SubscribeRequest(channel: "general"))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"general","positioned":true,"recoverable":true,"flag":1,"delta":"fossil"}}"#,
                2, .subscribe(SubscribeRequest(channel: "general"))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"general","token":"","data":{},"join_leave":false,"delta":"","tf":null}}"#,
                2, .subscribe(SubscribeRequest(channel: "general"))
            ),
            (#"{"id":2,"subscribe":{"channel":"a","data":""}}"#, 2, .subscribe(SubscribeRequest(channel: "a"))),
            (
                #"{"id":2,"subscribe":{"channel":"a","join_leave":true,"token":"t"}}"#, 2,
                .subscribe(SubscribeRequest(channel: "a", notOffered: .token))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"a","data":{"b":1}}}"#, 2,
                .subscribe(SubscribeRequest(channel: "a", notOffered: .data))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"a","data":[]}}"#, 2,
                .subscribe(SubscribeRequest(channel: "a", notOffered: .data))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"a","join_leave":true}}"#, 2,
                .subscribe(SubscribeRequest(channel: "a", notOffered: .joinLeave))
            ),
            (
                #"{"id":2,"subscribe":{"channel":"a","tf":{"key":"k","cmp":"eq","val":"v"}}}"#, 2,
                .subscribe(SubscribeRequest(channel: "a", notOffered: .tagsFilter))
            ),
            (#"{"id":3,"unsubscribe":{"channel":"general"}}"#, 3, .unsubscribe(channel: "general")),
            (
                #"{"id":4,"rpc":{"method":"message.send","data": {"text":"hi \ud83d\ude00"} }}"#, 4,
                .rpc(method: "message.send", data: Array(#"{"text":"hi \ud83d\ude00"}"#.utf8)[...])
            ),
            (#"{"id":4,"rpc":{}}"#, 4, .rpc(method: "", data: [])),
            (#"{"id":4,"rpc":{"method":"m","data":null}}"#, 4, .rpc(method: "m", data: [])),
            (#"{"id":5,"refresh":{"token":"t"}}"#, 5, .refresh(token: "t")), (#"{"id":6,"ping":{}}"#, 6, .ping),
            (#"{"id":7,"publish":{"channel":"general","data":{}}}"#, 7, .notOffered("publish")),
            (#"{"id":7,"presence":{}}"#, 7, .notOffered("presence")),
            (#"{"id":7,"presence_stats":{}}"#, 7, .notOffered("presence_stats")),
            (#"{"id":7,"history":{}}"#, 7, .notOffered("history")), (#"{"id":7,"send":{}}"#, 7, .notOffered("send")),
            (#"{"id":7,"sub_refresh":{}}"#, 7, .notOffered("sub_refresh")),
        ] as [(String, UInt32, ClientEnvelope.Command)])
    func `commands are decoded`(text: String, id: UInt32, command: ClientEnvelope.Command) throws {
        #expect(try decode(text) == [ClientEnvelope(id: id, command: command)])
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd), ("\n", .unexpectedEnd), ("hello", .notAnObject), ("[]", .notAnObject),
            ("null", .notAnObject),
            (#"{"ping":{}}"#, .wrongType(field: "id")), (#"{"id":0,"ping":{}}"#, .wrongType(field: "id")),
            (#"{"id":4294967296,"ping":{}}"#, .wrongType(field: "id")),
            (#"{"id":-1,"ping":{}}"#, .wrongType(field: "id")),
            (#"{"id":1.0,"ping":{}}"#, .wrongType(field: "id")), (#"{"id":1e400,"ping":{}}"#, .wrongType(field: "id")),
            (#"{"id":"1","ping":{}}"#, .wrongType(field: "id")), (#"{"id":null}"#, .wrongType(field: "id")),
            (#"{"id":1}"#, .wrongType(field: "command")), (#"{"id":1,"dance":{}}"#, .wrongType(field: "command")),
            (#"{"id":1,"rpc":null}"#, .wrongType(field: "command")), (#"{"id":1,"rpc":[]}"#, .wrongType(field: "rpc")),
            (#"{"id":1,"rpc":{"method":7}}"#, .wrongType(field: "method")),
            (#"{"id":1,"connect":""}"#, .wrongType(field: "connect")),
            (#"{"id":1,"connect":{"token":7}}"#, .wrongType(field: "token")),
            (#"{"id":1,"connect":{"data":"none"}}"#, .wrongType(field: "data")),
            (#"{"id":1,"connect":{"data":{"subscribe":"all"}}}"#, .wrongType(field: "data.subscribe")),
            (#"{"id":1,"connect":{"subs":[]}}"#, .wrongType(field: "subs")),
            (#"{"id":1,"connect":{"subs":{"general":true}}}"#, .wrongType(field: "general")),
            (
                #"{"id":1,"connect":{"subs":{"a":{"recover":true,"offset":18446744073709551616}}}}"#,
                .wrongType(field: "offset")
            ),
            (#"{"id":1,"connect":{"subs":{"a":{},"a":{}}}}"#, .duplicateKey("a")),
            (#"{"id":1,"subscribe":{}}"#, .wrongType(field: "channel")),
            (#"{"id":1,"subscribe":{"channel":"a","recover":1}}"#, .wrongType(field: "recover")),
            (#"{"id":1,"subscribe":{"channel":"a","token":1}}"#, .wrongType(field: "token")),
            (#"{"id":1,"subscribe":{"channel":"a","join_leave":1}}"#, .wrongType(field: "join_leave")),
            (#"{"id":1,"subscribe":{"channel":"a","delta":true}}"#, .wrongType(field: "delta")),
            (#"{"id":1,"subscribe":{"channel":"a","tf":"k"}}"#, .wrongType(field: "tf")),
            (#"{"id":1,"subscribe":{"channel":"a","recover":true,"offset":-1}}"#, .wrongType(field: "offset")),
            (#"{"id":1,"unsubscribe":{}}"#, .wrongType(field: "channel")),
            (#"{"id":1,"refresh":7}"#, .wrongType(field: "refresh")),
            (#"{"id":1,"id":2,"ping":{}}"#, .duplicateKey("id")),
            (#"{"id":1,"rpc":{"method":"\ud800"}}"#, .invalidString),
            (#"{"id":1,"connect":{"token":"\udc00"}}"#, .invalidString),
            (#"{"id":1,"rpc":{"method":"m","data":{"text":"\udc0"}}}"#, .unexpectedByte(at: 49)),
        ] as [(String, JSONSyntaxError)])
    func `an invalid command is refused with the reason`(text: String, error: JSONSyntaxError) {
        #expect(throws: error) { try decode(text) }
    }

    @Test func `a frame has several commands, and one invalid command invalidates all`() throws {
        let rpc = #"{"id":2,"rpc":{"method":"read.counts"}}"#
        #expect(try decode("{\"id\":1,\"ping\":{}}\n\(rpc)\n{}").map(\.id) == [1, 2, 0])
        for broken in [#"{"id":3,"dance":{}}"#, #"{"id":3,"#, "x", #"{"id":0,"ping":{}}"#] {
            for frame in ["\(broken)\n\(rpc)\n\(rpc)", "\(rpc)\n\(broken)\n\(rpc)", "\(rpc)\n\(rpc)\n\(broken)"] {
                #expect(throws: JSONSyntaxError.self, "\(frame)") { try decode(frame) }
            }
        }
    }

    @Test(arguments: [1, 127, 128, 129, 256, 257, 2_000])
    func `a frame can have as many commands as fit its bytes, and one invalid command invalidates all`(
        count: Int
    ) throws {
        let commands = (1...count).map { #"{"id":\#($0),"subscribe":{"channel":"room-\#($0)"}}"# }
        #expect(try decode(commands.joined(separator: "\n")).map(\.id) == (1...UInt32(count)).map(\.self))
        var frame = try CommandFrame(Array(commands.joined(separator: "\n").utf8))
        #expect((frame.unreadBytes > 0) == (count > CommandFrame.chunk))
        while frame.next() != nil {}
        #expect(frame.unreadBytes == 0)
        #expect(throws: JSONSyntaxError.wrongType(field: "command")) {
            try decode((commands + [#"{"id":1,"dance":{}}"#]).joined(separator: "\n"))
        }
        #expect(throws: JSONSyntaxError.unexpectedEnd) { try decode((commands + ["{"]).joined(separator: "\n")) }
    }

    @Test
    func `half a surrogate pair in a call's data passes the envelope and is left for the command to refuse`() throws {
        for half in [#"\ud83d"#, #"\ude00"#, #"\ud83d\ud83d"#, #"\ud83dx"#, #"\ud83d\n"#] {
            let data = #"{"text":"\#(half)","\#(half)":[{"a":"\#(half)"}]}"#
            let frame = #"{"id":1,"rpc":{"method":"m","data":\#(data)}}"# + "\n" + #"{"id":2,"ping":{}}"#
            let rpc = ClientEnvelope(id: 1, command: .rpc(method: "m", data: Array(data.utf8)[...]))
            #expect(try decode(frame) == [rpc, ClientEnvelope(id: 2, command: .ping)])
            #expect(throws: JSONSyntaxError.invalidString) { try JSONFields(Array(data.utf8)) }
        }
    }

    @Test func `the error for a frame is short and reveals nothing from the frame`() throws {
        let frames = [
            "{", "{x", "[]", #"{"id":1,"secret":"#, #"{"id":1,"dance":{}}"#, #"{"id":0,"ping":{}}"#,
            #"{"id":1,"secret":1,"secret":2}"#, #"{"id":1,"connect":{"subs":{"secret":1}}}"#,
            #"{"id":1,"rpc":{"method":"secret\ud800"}}"#, #"{"id":1,"rpc":{"method":7}}"#,
            #"{"id":1,"x":"# + String(repeating: "[", count: 70),
        ]
        var reasons: [String] = []
        for frame in frames {
            do throws(JSONSyntaxError) { _ = try decode(frame) } catch { reasons.append(error.closeReason) }
        }
        #expect(
            reasons == [
                "the JSON ends too early", "invalid JSON at byte 1", "a command must be a JSON object",
                "the JSON ends too early",
                "unknown command", "a command needs an id from 1 to 4294967295", "an object contains a key twice",
                "a field has the wrong type", "a string is not valid UTF-8 or contains half of a surrogate pair",
                "method is missing or has the wrong type", "the JSON is nested deeper than 64 levels",
            ])
        #expect(reasons.allSatisfy { $0.utf8.count <= 100 && !$0.contains("secret") })
    }

    @Test func `a frame truncated at any byte is refused or loses only whole commands, and never traps`() throws {
        let frame = Array(
            (#"{"id":1,"connect":{"token":"t\u00e9","subs":{"a":{"recover":true,"offset":1,"epoch":"é"}}}}"# + "\n"
                + #"{"id":2,"rpc":{"method":"message.send","data":{"text":"😀\ud83d\ude00"}}}"#).utf8)
        let whole = try Array(CommandFrame(frame))
        for end in 0..<frame.count {
            guard let part = try? Array(CommandFrame(Array(frame[..<end]))) else { continue }
            #expect(part == [whole[0]], "cut at \(end)")
        }
    }

    @Test(arguments: [4, 44, 444] as [UInt64])
    func `what a client encodes decodes to the same value`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let envelopes = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.envelope() }
            let frame = envelopes.map { $0.encoded() }.joined(separator: [UInt8(ascii: "\n")])
            #expect(try Array(CommandFrame(Array(frame))) == envelopes, "seed \(seed)")
        }
    }

    @Test(arguments: [6, 66, 666] as [UInt64])
    func `a corrupted frame yields a value or an error`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<5_000 {
            let frame = String(decoding: json.random.envelope().encoded(), as: UTF8.self)
            let damaged = json.damage(frame)
            // Accepted input can be re-encoded with the same meaning.
            guard let envelopes = try? Array(CommandFrame(damaged)) else { continue }
            for envelope in envelopes { #expect(try Array(CommandFrame(envelope.encoded())) == [envelope]) }
        }
    }
}
