import ChatDomain
import ChatModel
import Testing
import WireProtocol

@testable import API

@Suite struct KnownFieldsTests {
    private static let message = "0198a0b0-0000-7000-8000-000000000001"

    @Test(arguments: [
        (
            "message.send", #"{"channel_id":"a","text":"x","parent_id":"\#(message)"}"#,
            "unknown field parent_id; did you mean parent_message_id?"
        ),
        ("message.send", #"{"channel_id":"a","txt":"x"}"#, "unknown field txt; did you mean text?"),
        ("message.send", #"{"channel_id":"a","clientId":"x"}"#, "unknown field clientId; did you mean client_id?"),
        ("message.send", #"{"channel_id":"a","text":"x","colour":null}"#, "unknown field colour"),
        ("channel.create", #"{"operators":["ann"]}"#, "unknown field operators; did you mean operator_user_ids?"),
        ("channel.create", #"{"public":true}"#, "unknown field public; did you mean is_public?"),
        ("channel.join", #"{"channel":"a"}"#, "unknown field channel; did you mean channel_id?"),
        ("typing.start", #"{"channel_id":"a","chanel_id":"a"}"#, "unknown field chanel_id; did you mean channel_id?"),
        ("read.mark", #"{"channel_id":"a","message":"x"}"#, "unknown field message; did you mean message_id?"),
        (
            "message.send", #"{"channel_id":"a","kind":"file","files":[{"url":"https://a/","nmae":"x"}]}"#,
            "unknown field files[0].nmae; did you mean name?"
        ),
    ])
    func `107: an unknown field is reported by name together with the closest known one`(
        method: String, body: String, words: String
    ) {
        #expect(Desk().table().refusal(method, body) == Rejection(.badRequest, words))
    }

    @Test func `objects in bulk commands are checked for unknown fields`() {
        let table = Desk().table()
        #expect(
            table.refusal("channel.upsert_many", #"{"channels":[{"id":"a"},{"id":"b","user":["ann"]}]}"#, by: .server)
                == Rejection(.badRequest, "unknown field channels[1].user; did you mean user_ids?"))
        #expect(
            table.refusal("user.upsert_many", #"{"users":[{"id":"ann","nick":"Ann"}]}"#, by: .server)?.detail?
                .hasPrefix("unknown field users[0].nick") == true)
        #expect(table.refusal("settings.update", #"{"reaction":true}"#, by: .server)?.code == .badRequest)
    }

    @Test func `with a server key, a misspelled as_user is refused instead of acting as the app`() {
        let table = Desk().table()
        let body = #"{"channel_id":"a","kind":"admin","text":"x","as_user":"ann"}"#
        #expect(
            table.refusal("message.send", body, by: .server)
                == Rejection(.badRequest, "unknown field as_user; did you mean as_user_id?"))
        // Suggestions never name a field that the caller may not use.
        #expect(table.refusal("message.send", body)?.detail?.contains("as_user_id") == false)
    }

    @Test func `maps with client-chosen keys have no unknown fields`() {
        let desk = Desk()
        let table = desk.table()
        for (method, body) in [
            ("channel.create", #"{"id":"a","metadata":{"parent_id":"x","":"y"}}"#),
            ("message.send", #"{"channel_id":"a","text":"x","meta_arrays":{"anything":["x"]}}"#),
        ] {
            #expect(table.refusal(method, body) == nil)
            #expect(!desk.next().hasPrefix("107"))
        }
    }

    @Test func `a field from another build's command is refused with 1018, and one of the wrong type by name`() {
        let table = Desk().table()
        let base = #""channel_id":"a","message_id":"\#(Self.message)""#
        #expect(table.refusal("message.update", "{\(base),\"files\":[]}")?.code == .featureDisabled)
        #expect(table.refusal("message.send", #"{"channel_id":"a","files":7}"#)?.detail == "files has the wrong type")
        #expect(table.refusal("message.send", #"{"channel_id":"a","files":[7]}"#)?.code == .badRequest)
    }

    @Test func `an unknown name that is long, empty or not plain ASCII is not echoed`() {
        let table = Desk().table()
        for name in [String(repeating: "n", count: 65), "", "é", #"a\nb"#, #"\ud83d\ude00"#] {
            #expect(
                table.refusal("message.send", "{\"channel_id\":\"a\",\"\(name)\":1}")
                    == Rejection(.badRequest, "unknown field in the request"), "\(name)")
        }
    }

    @Test func `unknown fields are ignored while the setting allows them`() {
        let desk = Desk()
        let table = desk.table()
        let body = #"{"id":"a","from_the_future":{"x":[1]}}"#
        table.unknownFields.adopt(.ignore)
        #expect(table.refusal("channel.create", body) == nil)
        #expect(desk.next().contains(#""created":true"#))
        table.unknownFields.adopt(.refuse)
        #expect(table.refusal("channel.create", body)?.code == .badRequest)
    }

    @Test func `every command accepts every documented field`() throws {
        let table = Desk().table()
        let shapes = ChatShapes()
        for command in shapes.commands {
            guard case .named(let name) = command.request else { continue }
            let type = try #require(CommandTable.byMethod[command.method]).request
            for property in shapes.components[name]?.properties ?? [] {
                let fields = try JSONFields(Array(#"{"\#(property.name)":null}"#.utf8))
                #expect(throws: Never.self) { try KnownFields.check(fields, of: type, mayActAs: false) }
            }
            #expect(
                table.refusal(command.method, #"{"no_such_field_anywhere":1}"#, by: .server)?.code == .badRequest,
                "\(command.method)")
        }
    }

    @Test func `uploads are checked for unknown query fields`() {
        func refusal(_ query: String, _ sender: Caller = .user(ann)) -> String? {
            do throws(Rejection) {
                try UploadTarget.refuseUnknownFields(path: "/v1/files?" + query, sentBy: sender)
                return nil
            } catch {
                return error.detail
            }
        }
        #expect(refusal("channel_id=a&name=b&as_user_id=ann") == nil)
        #expect(refusal("chanel_id=a&name=b") == "unknown field chanel_id; did you mean channel_id?")
        #expect(refusal("name=b&as_user=ann", .server) == "unknown field as_user; did you mean as_user_id?")
        #expect(refusal("name=b&as_user=ann") == "unknown field as_user")
    }
}

@Suite struct NearestNameTests {
    private static let known = ["channel_id", "client_id", "parent_message_id", "text", "mentioned_user_ids", "name"]

    @Test(
        arguments: [
            ("parent_id", "parent_message_id"), ("parentId", "parent_message_id"), ("message_id", "parent_message_id"),
            ("user_ids", "mentioned_user_ids"), ("chanel_id", "channel_id"), ("channel-id", "channel_id"),
            ("id", "client_id"), ("test", "text"), ("Name", "name"), ("nane", "name"), ("colour", nil), ("x", nil),
            ("____", nil),
        ] as [(String, String?)])
    func `a suggested name contains the same words or is a few edits away`(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: Self.known) == nearest)
    }
}
