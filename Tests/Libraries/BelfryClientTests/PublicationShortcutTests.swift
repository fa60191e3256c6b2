import Testing

@testable import BelfryClient
@testable import WireProtocol

struct PublicationShortcutTests {
    private func shown(_ message: ServerMessage?) -> String { message.map { "\($0)" } ?? "none" }

    @Test(arguments: ["general", "#ann", "#Jürgen", "#\u{1F600}"])
    func `the shortcut decodes the server's encoding like the general decoder`(room: String) throws {
        for offset in [1, 42, 999_999_999_999_999_999] as [UInt64] {
            let data = bytes(#"{"type":"message.new","message":{"text":"}}} \" ]","n":[1,{"a":null}]}}"#)
            let envelope = ServerEnvelope.publication(room: room, Publication(offset: offset, data: data))
            let text = envelope.encoded(as: .json)
            let short = ServerMessage.publication(in: text)
            #expect(short != nil)
            #expect(shown(short) == shown(try ServerMessage.decode(text).first))
        }
    }

    @Test(arguments: [
        "", "{}", #"{"push":{"channel":"a"#, #"{"push":{"channel":"a","pub":{"offset":1,"data":{}}}"#,
        #"{"push":{"channel":"a","pub":{"offset":1,"data":{}}}}{}"#,
        #"{"push":{"channel":"a","pub":{"offset":1,"data":{},"info":{}}}}"#,
        #"{"push":{"channel":"a","pub":{"offset":1,"data":null}}}"#,
        #"{"push":{"channel":"a\u0041","pub":{"offset":1,"data":{}}}}"#,
        #"{"push":{"channel":"a","pub":{"offset":01,"data":{}}}}"#,
        #"{"push":{"channel":"a","pub":{"offset":18446744073709551616,"data":{}}}}"#,
        #"{"push":{"channel":"a","pub":{"data":{}}}}"#, #"{"push":{"channel":"a","pub":{"offset":,"data":{}}}}"#,
        #"{"push":{"channel":"a","pub":{"offset":1,"data":{]}}}"#, #"{"id":1,"rpc":{"data":{}}}"#,
    ])
    func `any other input is left to the general decoder`(text: String) {
        #expect(shown(ServerMessage.publication(in: bytes(text))) == "none")
    }

    @Test func `a truncated or modified frame never crashes the client`() {
        let whole = bytes(#"{"push":{"channel":"general","pub":{"offset":12,"data":{"a":[1,"b"]}}}}"#)
        for count in whole.indices { #expect(shown(ServerMessage.publication(in: Array(whole[..<count]))) == "none") }
        for index in whole.indices {
            for byte in [0, 0x22, 0x5C, 0x7D, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = byte
                let short = ServerMessage.publication(in: changed)
                let long = try? ServerMessage.decode(changed).first
                if short != nil { #expect(shown(short) == shown(long)) }
            }
        }
    }
}
