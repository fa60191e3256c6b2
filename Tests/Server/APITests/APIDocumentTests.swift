import API
import ChatDomain
import ChatModel
import Foundation
import Testing
import WireProtocol

extension JSONValue {
    fileprivate subscript(path: String...) -> JSONValue? {
        path.reduce(self) { value, name in value?[name] }
    }

    fileprivate var fields: [(String, JSONValue)] {
        guard case .object(let fields) = self else { return [] }
        return fields
    }

    fileprivate var names: [String] { fields.map(\.0) }

    /// The value of every `$ref` in the document.
    fileprivate var references: Set<String> {
        switch self {
        case .object(let fields):
            fields.reduce(into: []) { found, field in
                if field.0 == "$ref", case .text(let target) = field.1 { found.insert(target) }
                found.formUnion(field.1.references)
            }
        case .list(let values): values.reduce(into: []) { $0.formUnion($1.references) }
        default: []
        }
    }

    fileprivate func target(_ reference: String) -> JSONValue? {
        reference.split(separator: "/").dropFirst().reduce(self) { value, name in value?[String(name)] }
    }
}

@Suite struct APIDocumentTests {
    private let shapes = ChatShapes()
    private let openAPI: JSONValue
    private let asyncAPI: JSONValue

    /// Returns the key of a method; AsyncAPI keys contain no dots.
    private func key(_ name: String) -> String { name.split(separator: ".").joined(separator: "_") }

    init() {
        openAPI = OpenAPIDocument(shapes).value
        asyncAPI = AsyncAPIDocument(shapes).value
    }

    @Test func `every request, response and event has a schema`() {
        #expect(shapes.gaps == [])
    }

    @Test func `every command in the table is documented with its required key scopes`() {
        for declaration in CommandTable.declarations {
            let operation = openAPI["paths", declaration.path, "post"]
            let needed: JSONValue = ["apiKey": [.text(declaration.scope.rawValue)]]
            let security: JSONValue =
                switch declaration.callers {
                case .server: [needed]
                case .newcomers: [[:], needed]
                case .users, .anyone: [["bearer": []], needed]
                }
            #expect(operation?["security"] == security, "\(declaration.method)")
            #expect(operation?["responses", "200"] != nil)
            let body = operation?["requestBody", "content", "application/json", "schema"]
            let isCallable = declaration.callers == .users || declaration.callers == .anyone
            #expect((body?["allOf"] != nil) == isCallable, "as_user_id is not for the server")
            #expect((asyncAPI["operations", key(declaration.method)] != nil) == isCallable, "\(declaration.method)")
        }
        #expect(openAPI["paths"]?.names.filter { $0.hasPrefix("/v1/") } == CommandTable.declarations.map(\.path))
    }

    @Test func `the document names the licence in the LICENSE file`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let licence = try String(contentsOf: root.appending(path: "LICENSE"), encoding: .utf8)
        #expect(licence.contains("Apache License") && licence.contains("Version 2.0, January 2004"))
        #expect(openAPI["info", "license"] == ["name": "Apache License 2.0", "identifier": "Apache-2.0"])
        #expect(asyncAPI["info", "license"] == ["name": "Apache License 2.0"])
    }

    @Test func `every event in the catalogue is documented`() {
        for type in EventType.allCases {
            #expect(asyncAPI["components", "messages", key(type.rawValue)] != nil, "\(type)")
            #expect(asyncAPI["components", "schemas", "Event_" + key(type.rawValue)] != nil, "\(type)")
        }
    }

    @Test func `every reference resolves`() {
        for document in [openAPI, asyncAPI] {
            #expect(document.references.count > 20)
            for reference in document.references { #expect(document.target(reference) != nil, "\(reference)") }
        }
    }

    @Test func `no object has a duplicate key at any depth`() {
        func check(_ value: JSONValue) {
            #expect(Set(value.names).count == value.names.count, "\(value.names)")
            for (_, inner) in value.fields { check(inner) }
            if case .list(let values) = value { values.forEach(check) }
        }
        check(openAPI)
        check(asyncAPI)
    }

    @Test(arguments: CommandTable.declarations.map(\.method))
    func `each command's example is a valid request`(method: String) throws {
        let example = try #require(shapes.examples[method])
        let declaration = try #require(CommandTable.declarations.first { $0.method == method })
        let sender: Caller? =
            switch declaration.callers {
            case .server: .server
            case .newcomers: nil
            case .users, .anyone: .user(ann)
            }
        let tokens = TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 })
        #expect(Desk().table(tokens: tokens).refusal(method, example, by: sender) == nil)
    }

    @Test func `a type's schema matches its wire form: optional fields, lists, enumerations and names`() {
        let schemas = openAPI["components", "schemas"]
        let message = schemas?["Message"]
        guard case .list(let required)? = message?["required"] else {
            Issue.record("a message requires nothing")
            return
        }
        for name in ["id", "channel_id", "kind", "created_at", "offset"] as [JSONValue] {
            #expect(required.contains(name), "\(name)")
        }
        #expect(!required.contains("text") && !required.contains("user"))
        #expect(message?["properties", "user", "$ref"] == "#/components/schemas/User")
        #expect(message?["properties", "reactions", "items", "$ref"] == "#/components/schemas/Reaction")
        #expect(message?["properties", "reply_to_channel", "type"] == "boolean")
        #expect(schemas?["MessageKind", "enum"] == ["text", "file", "files", "admin"])
        #expect(schemas?["ChannelID", "maxLength"] == 100)
        #expect(schemas?["User", "properties", "metadata", "additionalProperties", "type"] == "string")
        #expect(schemas?["Channel", "properties", "last_message", "$ref"] == "#/components/schemas/Message")
        #expect(schemas?["ListMessages", "properties", "limit", "maximum"] == 100)
        // A field that is refused with 1018 is not part of the request's schema.
        #expect(schemas?["SendMessage", "properties", "text"] != nil)
        for field in SendMessage.notYet { #expect(schemas?["SendMessage", "properties", field] == nil, "\(field)") }
    }

    @Test func `every error code is listed with its HTTP status`() {
        let codes = openAPI["components", "schemas", "ErrorCode", "oneOf"]
        guard case .list(let rows)? = codes else {
            Issue.record("no codes")
            return
        }
        #expect(rows.compactMap { $0["const"] } == ErrorCode.allCases.map { .number(Int64($0.rawValue)) })
        let post = openAPI["paths", "/v1/message.send", "post", "responses"]
        for code in [ErrorCode.notAMember, .muted, .tooLong, .clientIDConflict, .unauthorized, .tooManyRequests] {
            #expect(post?["\(code.row.status)"] != nil, "\(code)")
            let response = openAPI["components", "responses", "Status\(code.row.status)"]
            let examples = response?["content", "application/json", "examples"]
            #expect(examples?["\(code.rawValue)"] != nil, "\(code)")
        }
    }

    @Test func `the documents are valid JSON and built only once`() throws {
        for bytes in [APIDocuments.openAPI, APIDocuments.asyncAPI] {
            #expect(throws: Never.self) { try JSONFields(bytes) }
        }
        #expect(APIDocuments.openAPI == openAPI.bytes)
    }
}
