import ChatModel
import TestSupport
import Testing

@testable import WireProtocol

/// The bytes in the first table were written by Google's Python runtime from `client.proto`; the text is the same
/// command in the JSON form, which has separate tests.
@Suite struct ProtobufCommandTests {
    private func decode(_ message: [UInt8]) throws(ProtobufSyntaxError) -> [ClientEnvelope] {
        try Array(CommandFrame(protobuf: message))
    }

    @Test(
        arguments: [
            ("00", "{}"), ("0408012200", #"{"id":1,"connect":{}}"#),
            (
                "3b08ffffffff0f22330a0174121d7b22737562736372696265223a226e6f6e65222c226d6f7265223a317d22026a732a0135"
                    + "32060a01611201623801",
                #"{"connect":{"token":"t","data":{"subscribe":"none","more":1},"name":"js","version":"5"},"id":4294967295}"#
            ),
            (
                "4a0801224612046e756c6c1a0a0a0423616e6e120218011a1b0a0767656e6572616c1210180132016538ffffffffffffffffff01"
                    + "1a070a036f666612001a0c0a0672616e646f6d12023803",
                #"{"id":1,"connect":{"data":null,"subs":{"general":{"recover":true,"offset":18446744073709551615,"epoch":"e"},"#
                    + ##""#ann":{"recover":true},"random":{"recover":false,"offset":3},"off":{}}}}"##
            ),
            ("0d08022a090a0767656e6572616c", #"{"id":2,"subscribe":{"channel":"general"}}"#),
            (
                "1608022a120a0767656e6572616c180132016538077002",
                #"{"id":2,"subscribe":{"channel":"general","recover":true,"offset":7,"epoch":"e","flag":2}}"#
            ),
            (
                "1408022a100a0767656e6572616c32016538077005",
                #"{"id":2,"subscribe":{"channel":"general","offset":7,"epoch":"e","flag":5}}"#
            ),
            (
                "1b08022a170a0767656e6572616c480150016206666f7373696c7001",
                #"{"id":2,"subscribe":{"channel":"general","positioned":true,"recoverable":true,"flag":1,"delta":"fossil"}}"#
            ),
            (
                "1308022a0f0a0767656e6572616c42027b7d6a00",
                #"{"id":2,"subscribe":{"channel":"general","data":{},"tf":{}}}"#
            ),
            ("0b08022a070a016142022222", #"{"id":2,"subscribe":{"channel":"a","data":""}}"#),
            ("0c08022a080a01611201745801", #"{"id":2,"subscribe":{"channel":"a","join_leave":true,"token":"t"}}"#),
            ("1008022a0c0a016142077b2262223a317d", #"{"id":2,"subscribe":{"channel":"a","data":{"b":1}}}"#),
            ("0a08022a060a01614201ff", #"{"id":2,"subscribe":{"channel":"a","data":"no JSON"}}"#),
            ("0908022a050a01615801", #"{"id":2,"subscribe":{"channel":"a","join_leave":true}}"#),
            (
                "1308022a0f0a01616a0a12016b1a026571220176",
                #"{"id":2,"subscribe":{"channel":"a","tf":{"key":"k","cmp":"eq","val":"v"}}}"#
            ),
            ("0d080332090a0767656e6572616c", #"{"id":3,"unsubscribe":{"channel":"general"}}"#),
            (
                "2108046a1d0a0d7b2274657874223a226869227d120c6d6573736167652e73656e64",
                #"{"id":4,"rpc":{"method":"message.send","data":{"text":"hi"}}}"#
            ),
            ("0408046a00", #"{"id":4,"rpc":{}}"#), ("07080572030a0174", #"{"id":5,"refresh":{"token":"t"}}"#),
            ("0408057200", #"{"id":5,"refresh":{"token":""}}"#),
            ("0408033200", #"{"id":3,"unsubscribe":{"channel":""}}"#),
            ("0408022a00", #"{"id":2,"subscribe":{"channel":""}}"#), ("0408065a00", #"{"id":6,"ping":{}}"#),
            ("1108073a0d0a0767656e6572616c12027b7d", #"{"id":7,"publish":{"channel":"general","data":{}}}"#),
            ("0408074200", #"{"id":7,"presence":{}}"#), ("0408074a00", #"{"id":7,"presence_stats":{}}"#),
            ("0408075200", #"{"id":7,"history":{}}"#), ("0408076200", #"{"id":7,"send":{}}"#),
            ("0408077a00", #"{"id":7,"sub_refresh":{}}"#),
            ("09080822006a0312016d", #"{"id":8,"connect":{},"rpc":{"method":"m"}}"#),
        ] as [(String, String)])
    func `both forms of a command are equivalent`(bytes: String, text: String) throws {
        #expect(try decode(hex(bytes)) == Array(CommandFrame(Array(text.utf8))))
    }

    @Test(arguments: [4, 44, 444] as [UInt64])
    func `a client's Protobuf command decodes like its JSON form`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let envelopes = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.envelope() }
            let read = try decode(envelopes.flatMap(\.protobuf))
            #expect(read.map { $0.encoded() } == envelopes.map { $0.encoded() }, "seed \(seed)")
        }
    }

    @Test func `a command's data is passed on unchanged, whatever it contains`() throws {
        let data: [UInt8] = [0, 0xFF, 0x7B]
        let envelope = ClientEnvelope(id: 4, command: .rpc(method: "m", data: data[...]))
        #expect(try decode(envelope.protobuf) == [envelope])
    }

    // MARK: What protocol buffers allow, and what they do not

    /// Returns a command of fewer than 128 bytes, preceded by its length.
    private func command(_ digits: String) -> [UInt8] {
        let bytes = hex(digits)
        return [UInt8(bytes.count)] + bytes
    }

    private static let said = ClientEnvelope.Command.rpc(method: "m", data: Array("{}".utf8)[...])

    @Test(
        arguments: [
            ("fields in another order", "6a 07 12 01 6d 0a 02 7b7d 08 04", said),
            ("numbers written longer than they must be", "88 00 84 80 00 5a 00", .ping),
            ("a number that stands twice: the last counts", "08 01 08 04 5a 00", .ping),
            ("a message that stands twice: the two are one", "08 04 6a 03 12 01 6d 6a 04 0a 02 7b7d", said),
            (
                "a connect that stands twice", "08 04 22 03 0a 01 74 22 0b 1a 09 0a 01 61 12 04 18 01 38 01",
                .connect(ConnectRequest(token: "t", positions: ["a": RoomPosition(offset: 1, epoch: "")]))
            ),
            (
                "a subscribe that stands twice", "08 04 2a 03 0a 01 61 2a 04 18 01 38 07",
                .subscribe(SubscribeRequest(channel: "a", recover: RoomPosition(offset: 7, epoch: "")))
            ),
            (
                "unknown fields of every kind",
                "08 04 f8 01 05 fd 01 00000000 f9 01 0000000000000000 fa 01 02 ffff 5a 00", .ping
            ),
            ("an unknown group with another in it", "08 04 fb 01 08 01 83 02 84 02 fc 01 5a 00", .ping),
            ("known fields of another type", "08 04 68 01 6d 00000000 5a 00", .ping),
            ("fields of the protocol's first version", "08 04 10 07 1a 00 5a 00", .ping),
            (
                "a flag other than 1", "08 04 2a 08 0a 01 61 18 ff 01 38 07",
                .subscribe(SubscribeRequest(channel: "a", recover: RoomPosition(offset: 7, epoch: "")))
            ),
            (
                "a room that stands twice: the last counts",
                "08 04 22 16 1a 09 0a 01 61 12 04 18 01 38 01 1a 09 0a 01 61 12 04 18 01 38 02",
                .connect(ConnectRequest(token: nil, positions: ["a": RoomPosition(offset: 2, epoch: "")]))
            ),
            (
                "a room that stands twice, and the last asks for nothing",
                "08 04 22 12 1a 09 0a 01 61 12 04 18 01 38 01 1a 05 0a 01 61 12 00",
                .connect(ConnectRequest(token: nil))
            ),
        ] as [(String, String, ClientEnvelope.Command)])
    func `valid protocol buffers are decoded`(what: String, bytes: String, expected: ClientEnvelope.Command) throws {
        #expect(try decode(command(bytes)) == [ClientEnvelope(id: 4, command: expected)], "\(what)")
    }

    @Test(
        arguments: [
            ("a command that is longer than the message", "05 08 04 5a 00", 1),
            ("a length that does not end", "80", 1), ("a length of 2⁶⁴ − 1", "ffffffffffffffffff01 00", 10),
            ("a length of more than 64 bits", "ffffffffffffffffff02 00", 10),
            ("a length of eleven bytes", "ffffffffffffffffffff01 00", 10),
            ("a field of number 0", "02 00 01", 2), ("a field of number 2²⁹", "06 80 80 80 80 10 00", 6),
            ("wire type 6", "02 0e 00", 2), ("wire type 7", "02 0f 00", 2),
            ("a number that does not end", "02 08 80", 3),
            ("a number of more than 64 bits", "0b 08 ffffffffffffffffff02", 12),
            ("four bytes that are three", "04 0d 000000", 2), ("eight bytes that are seven", "08 09 00000000000000", 2),
            ("the end of a group that was not begun", "01 0c", 2), ("a group that does not end", "01 0b", 2),
            ("a group that another ends", "02 0b 14", 3),
            ("a message that reaches into the next command", "04 08 04 6a 04 02 5a 00", 5),
            ("a text that reaches out of its message", "06 08 04 6a 02 12 05", 7),
        ])
    func `invalid bytes are refused, with the position of the error`(what: String, bytes: String, place: Int) {
        #expect(throws: ProtobufSyntaxError.malformed(at: place), "\(what)") { try decode(hex(bytes)) }
    }

    @Test(
        arguments: [
            ("5a 00", .invalidValue(field: "id")), ("08 00 5a 00", .invalidValue(field: "id")),
            ("08 80 80 80 80 10 5a 00", .invalidValue(field: "id")), ("fa 01 00", .invalidValue(field: "id")),
            ("08 04", .invalidValue(field: "command")), ("08 04 10 07 1a 00", .invalidValue(field: "command")),
            ("08 04 6a 03 12 01 ff", .invalidString(field: "method")),
            ("08 04 6a 05 12 03 ed a0 80", .invalidString(field: "method")),
            ("08 04 22 03 0a 01 c3", .invalidString(field: "token")),
            ("08 04 22 05 1a 03 0a 01 80", .invalidString(field: "subs")),
            ("08 04 2a 03 0a 01 ff", .invalidString(field: "channel")),
            ("08 04 2a 03 32 01 ff", .invalidString(field: "epoch")),
            ("08 04 32 03 0a 01 ff", .invalidString(field: "channel")),
            ("08 04 72 03 0a 01 ff", .invalidString(field: "token")),
            ("08 04 22 04 12 02 7b 7b", .invalidJSON(field: "data", .unexpectedByte(at: 1))),
            ("08 04 22 04 12 02 5b 5d", .invalidJSON(field: "data", .notAnObject)),
            ("08 04 22 03 12 01 ff", .invalidJSON(field: "data", .notAnObject)),
            (
                "08 04 22 15 12 13 7b2273756273637269626522 3a 22616c6c22 7d",
                .invalidJSON(field: "data", .wrongType(field: "data.subscribe"))
            ),
        ] as [(String, ProtobufSyntaxError)])
    func `a meaningless command is refused with the reason`(bytes: String, error: ProtobufSyntaxError) {
        #expect(throws: error) { try decode(command(bytes)) }
    }

    @Test func `an empty message contains no command`() {
        #expect(throws: ProtobufSyntaxError.empty) { try decode([]) }
    }

    @Test func `a message has several commands, and one invalid command invalidates all`() throws {
        let (ping, broken) = (command("08 04 5a 00"), command("08 04"))
        #expect(try decode(ping + [0] + ping).map(\.id) == [4, 0, 4])
        for message in [broken + ping + ping, ping + broken + ping, ping + ping + broken] {
            #expect(throws: ProtobufSyntaxError.self) { try decode(message) }
        }
    }

    @Test(arguments: [1, 128, 129, 257, 2_000])
    func `a message can have as many commands as fit its bytes, and one invalid command invalidates all`(
        count: Int
    ) throws {
        let commands = (1...UInt32(count)).flatMap {
            ClientEnvelope(id: $0, command: .subscribe(SubscribeRequest(channel: "room-\($0)"))).protobuf
        }
        #expect(try decode(commands).map(\.id) == (1...UInt32(count)).map(\.self))
        #expect(throws: ProtobufSyntaxError.self) { try decode(commands + command("08 04")) }
        #expect(throws: ProtobufSyntaxError.malformed(at: commands.count + 1)) { try decode(commands + [9]) }
    }

    @Test func `a command can name at most 4,096 rooms`() throws {
        func connect(_ rooms: Int) -> [UInt8] {
            let position = RoomPosition(offset: 1, epoch: "e")
            let positions = Dictionary(uniqueKeysWithValues: (0..<rooms).map { ("room-\($0)", position) })
            return ClientEnvelope(id: 1, command: .connect(ConnectRequest(token: "t", positions: positions))).protobuf
        }
        #expect(try decode(connect(4_096)).count == 1)
        #expect(throws: ProtobufSyntaxError.tooMany(limit: 4_096)) { try decode(connect(4_097)) }
    }

    @Test(arguments: [(64, true), (65, false), (1_000_000, false)])
    func `groups can be nested up to 64 deep`(depth: Int, isRead: Bool) {
        let groups = [UInt8](repeating: 0x0B, count: depth) + [UInt8](repeating: 0x0C, count: depth)
        var message = ProtoWriter(capacity: groups.count + 16)
        message.data(1, (hex("08 04 5a 00") + groups)[...])
        // Without the tag before the length.
        #expect(((try? decode(Array(message.bytes.dropFirst()))) != nil) == isRead)
    }

    /// Only three levels are examined, so an unread field can be arbitrarily deep.
    @Test func `a filter nested a hundred thousand levels deep is detected but not parsed`() throws {
        var sizes = [0]
        for _ in 0..<100_000 {
            let inner = sizes.last ?? 0
            sizes.append(1 + varint(inner).count + inner)
        }
        let filter = sizes.dropLast().reversed().flatMap { size -> [UInt8] in [0x32] + varint(size) }
        var writer = ProtoWriter(capacity: filter.count + 64)
        writer.delimited {
            $0.number(1, 4)
            $0.message(5) {
                $0.text(1, "a")
                $0.data(13, filter[...])
            }
        }
        let expected = ClientEnvelope.Command.subscribe(SubscribeRequest(channel: "a", notOffered: .tagsFilter))
        #expect(try decode(writer.bytes) == [ClientEnvelope(id: 4, command: expected)])
    }

    private func varint(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
    }

    @Test func `a message truncated at any byte is refused or yields only its complete commands`() throws {
        let position = RoomPosition(offset: .max, epoch: "é")
        let whole = [
            ClientEnvelope(id: 1, command: .connect(ConnectRequest(token: "té", positions: ["a": position]))),
            ClientEnvelope(id: 2, command: .rpc(method: "message.send", data: Array(#"{"text":"😀"}"#.utf8)[...])),
        ]
        let message = whole.flatMap(\.protobuf)
        #expect(try decode(message) == whole)
        for end in 0..<message.count {
            guard let part = try? decode(Array(message[..<end])) else { continue }
            #expect(part == [whole[0]], "cut at \(end)")
        }
    }

    /// Accepted input means the same in the JSON form, which has its own rules.
    @Test(arguments: [6, 66, 666] as [UInt64])
    func `a corrupted message yields a value or an error`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<10_000 {
            let damaged = json.damage(json.random.envelope().protobuf)
            guard let envelopes = try? decode(damaged) else { continue }
            for envelope in envelopes where !envelope.hasUnreadData {
                let text = envelope.encoded()
                #expect(try Array(CommandFrame(text)).map { $0.encoded() } == [text], "seed \(seed)")
            }
        }
    }
}

extension ClientEnvelope {
    /// Whether the command has data that has not been validated as JSON yet.
    fileprivate var hasUnreadData: Bool {
        if case .rpc = command { true } else { false }
    }
}
