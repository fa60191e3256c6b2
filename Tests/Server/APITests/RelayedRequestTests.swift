import ChatDomain
import ChatModel
import Testing
import WireProtocol

@testable import API

/// A request that one node decodes, encodes and sends to another means the same there.
@Suite struct RelayedRequestTests {
    private static let shapes = ChatShapes()

    /// Commands that other nodes carry out.
    private static let methods: [String] = CommandTable.declarations.filter {
        $0.request is any Change.Type || $0.request is any Signal.Type
    }.map(\.method)

    /// Valid values of fields for which the documentation has none.
    private static let values: [String: JSONValue] = [
        "kind": "text", "events": "*", "secret": "0123456789abcdef01234567", "url": "https://a.example/b",
    ]

    /// Returns a value with every field that the type has.
    private func whole(_ shape: Shape, name: String) -> JSONValue {
        switch shape {
        case .list(let inner): return [whole(inner, name: name)]
        case .map(let inner): return ["colour": whole(inner, name: "")]
        case .named(let component):
            guard case .object(let properties)? = Self.shapes.components[component] else { break }
            let shown = properties.filter { $0.name != "as_user_id" }
            return .object(shown.map { ($0.name, whole($0.shape, name: $0.name)) })
        case .text, .flag, .integer, .real: break
        }
        if let value = Self.values[name] { return value }
        return SchemaWriter(components: Self.shapes.components).example(shape, name: name)
    }

    private func body(of method: String) throws -> [UInt8] {
        let command = try #require(Self.shapes.commands.first { $0.method == method })
        guard case .object(let fields) = whole(command.request, name: "") else { return Array("{}".utf8) }
        return JSONValue.object(fields.filter { !command.notYet.contains($0.0) }).bytes
    }

    private let decoder = CommandDecoder(refusesUnknownFields: true)

    /// Decodes a client's request, and then twice what a node sends for it.
    private func travel<R: Request>(_ type: R.Type, _ body: [UInt8]) throws -> [[UInt8]] {
        let request = try decoder.decode(type, from: body[...], mayActAs: true)
        let sent = WireEncoder().encode(request)
        let again = WireEncoder().encode(try decoder.decode(relayed: type, from: sent))
        return [sent, again]
    }

    @Test(arguments: RelayedRequestTests.methods)
    func `a request with every field is the same after its way to another node`(method: String) throws {
        let type = try #require(CommandTable.declarations.first { $0.method == method }).request
        let body = try body(of: method)
        let sent = try travel(type, body)
        #expect(sent[0] == sent[1])
        let (before, after) = (try JSONFields(body), try JSONFields(sent[0]))
        #expect(before.keys.sorted() == after.keys.sorted())
    }

    @Test(arguments: RelayedRequestTests.methods)
    func `a request with the needed fields only gains none on its way`(method: String) throws {
        let type = try #require(CommandTable.declarations.first { $0.method == method }).request
        let sent = try travel(type, try #require(Self.shapes.examples[method]))
        #expect(sent[0] == sent[1])
    }

    /// Commands that only this server's own parts send.
    @Test func `a file, a guest and a user are the same after their way to another node`() throws {
        let (general, file) = (try #require(ChannelID("general")), FileID(high: 1, low: 2))
        let register = RegisterFile(
            id: file, channelID: general, name: "\u{1F600} \".png", size: .max, mimeType: "image/png")
        let found = try decoder.decode(relayed: RegisterFile.self, from: WireEncoder().encode(register))
        #expect(found.id == file && found.channelID == general && found.name == register.name)
        #expect(found.size == .max && found.mimeType == "image/png")
        for nickname in [nil, "", "Gus"] {
            let guest = AdmitGuest(id: .guest(1, 2), nickname: nickname)
            let found = try decoder.decode(relayed: AdmitGuest.self, from: WireEncoder().encode(guest))
            #expect(found.id == guest.id && found.nickname == nickname)
        }
        #expect(throws: Never.self) {
            try decoder.decode(relayed: AdmitUser.self, from: WireEncoder().encode(AdmitUser()))
        }
    }

    @Test func `bytes that are no request are refused`() {
        for bytes in ["", "[]", "{", #"{"id":1}"#, #"{"id":"a"}"#] {
            #expect(throws: Rejection.self) { try decoder.decode(relayed: RegisterFile.self, from: Array(bytes.utf8)) }
        }
    }
}
