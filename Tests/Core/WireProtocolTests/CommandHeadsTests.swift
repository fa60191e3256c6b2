import TestSupport
import Testing

@testable import WireProtocol

@Suite struct CommandHeadsTests {
    private func heads(_ message: [UInt8], _ form: WireForm = .json) -> [CommandHeads.Head] {
        var heads = CommandHeads(message, form)
        var found: [CommandHeads.Head] = []
        while let head = heads.next() { found.append(head) }
        return found
    }

    @Test(
        arguments: [
            ("", []), (" \n", []), ("{}", [.pong]), (#"{"id":7,"rpc":{}}"#, [.command(7)]),
            (#" {"rpc":{"data":{"id":9,"a":[{"id":8}]},"method":"m"} , "id" : 4294967295 } "#, [.command(.max)]),
            (
                #"{"id":1,"ping":{}}{"id":2,"ping":{}}"# + "\n{}\n" + #"{"id":3}"#,
                [.command(1), .command(2), .pong, .command(3)]
            ),
            (#"{"a":"}\"{","\u0069d":5,"b":"\\"}"#, [.command(5)]),
            (#"{"x":["id",{"id":6}],"y":"id","id":7}"#, [.command(7)]),
            // Errors inside a command are ignored.
            (#"{"id":7,"rpc":{"data":{"a" 1 tru \#u{7F}}}}"#, [.command(7)]),
            (#"{"rpc":{}}"#, [.unreadable]), (#"{"id":0,"ping":{}}"#, [.unreadable]),
            (#"{"id":4294967296,"ping":{}}"#, [.unreadable]), (#"{"id":"7","ping":{}}"#, [.unreadable]),
            (#"{"id":1}[{"id":2}]{"id":3}"#, [.command(1), .unreadable]), (#"{"id":1,"a":"#, [.unreadable]),
            (#"{"id":1,"a":"b}"#, [.unreadable]), ("null", [.unreadable]),
            (#"{"id":1}}{"id":2}"#, [.command(1), .unreadable]),
        ] as [(String, [CommandHeads.Head])])
    func `ids are found without decoding the commands`(
        text: String, expected: [CommandHeads.Head]
    ) {
        #expect(heads(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("", []), ("00", [.pong]), ("0408046a00 00 040a0208 07", [.command(4), .pong, .unreadable]),
            ("040805720004 08067200", [.command(5), .command(6)]), ("02 0800", [.pong]), ("0300", [.unreadable]),
            ("06 088080808010", [.unreadable]), ("06 6a00 0807 0809", [.command(9)]),
        ] as [(String, [CommandHeads.Head])])
    func `ids are found in the Protobuf form too`(digits: String, expected: [CommandHeads.Head]) {
        #expect(heads(hex(digits), .protobuf) == expected)
    }

    @Test(arguments: [8, 88, 888] as [UInt64])
    func `the ids match those of the decoded commands, and no input traps`(seed: UInt64) throws {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        for _ in 0..<2_000 {
            let envelopes = (0..<Int.random(in: 1...4, using: &json.random)).map { _ in json.random.envelope() }
            let expected = envelopes.map { $0.id == 0 ? CommandHeads.Head.pong : .command($0.id) }
            let text = Array(envelopes.map { $0.encoded() }.joined(separator: [0x0A]))
            #expect(heads(text) == expected, "seed \(seed)")
            let binary = Array(envelopes.map(\.protobuf).joined())
            #expect(heads(binary, .protobuf) == expected, "seed \(seed)")
            _ = heads(json.damage(text))
            _ = heads(json.damage(binary), .protobuf)
        }
    }
}
