import Foundation
import HTTPTypes
import Testing

/// Watched lists of threads, and the fields of a subscription.
@Suite struct WatchingTests {
    @Test func `T6: a connection continues from a watched list without a gap, over RPC and HTTP`() async throws {
        let server = try await TestServer()
        let bob = try await server.connect("bob")
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        try await bob.rpc("channel.create", ["id": "general", "user_ids": ["ann"]])
        let parent = try await ann.rpc("message.send", ["channel_id": "general", "text": "parent"])
        let id = try #require(parent["rpc"]?["data"]?["message"]?["id"]?.string)
        let first: [String: any Sendable] = ["channel_id": "general", "text": "one", "parent_message_id": id]
        try await bob.rpc("message.send", first)
        let fields: HTTPFields = [.authorization: "Bearer \(try await server.token("ann"))"]
        let answers = [
            try await ann.rpc("thread.list", [:])["rpc"]?["data"],
            try await server.http("thread.list", #"{"watch":true}"#, fields).body,
        ]
        let positions = answers.compactMap { $0?["threads"]?.array.first?["position"] }
        #expect(positions.count == 2 && positions[0] == positions[1])
        let look = try await ann.rpc("thread.list", ["watch": false])["rpc"]?["data"]?["threads"]?.array
        #expect(look?.count == 1 && look?.first?["position"] == nil)
        let second: [String: any Sendable] = ["channel_id": "general", "text": "two", "parent_message_id": id]
        try await bob.rpc("message.send", second)
        let position = try #require(positions.first)
        let reply = try await ann.command(
            "subscribe",
            [
                "channel": "general", "recover": true, "offset": position["offset"]?.int ?? 0,
                "epoch": position["epoch"]?.string ?? "",
            ])["subscribe"]
        #expect(reply?["recovered"] == .bool(true))
        let missed = reply?["publications"]?.array.map { $0["data"]?["message"]?["text"]?.string }
        #expect(missed == ["two"])
        await server.stop()
    }

    @Test
    func `108: a subscription with a field that would narrow it is refused by the field's name`() async throws {
        let server = try await TestServer()
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        try await ann.rpc("channel.create", ["id": "general"])
        let refused: [(String, any Sendable)] = [
            ("token", "t"), ("data", ["a": 1]), ("join_leave", true), ("tf", ["key": "k"]),
        ]
        for (field, value) in refused {
            let error = try await ann.command("subscribe", ["channel": "general", field: value])["error"]
            #expect(error?["code"]?.int == 108 && error?["message"]?.string == "not available: \(field)")
        }
        let offers: [String: any Sendable] = [
            "channel": "general", "positioned": true, "recoverable": true, "flag": 1, "delta": "fossil",
            "data": [:] as [String: Int],
        ]
        let reply = try await ann.command("subscribe", offers)["subscribe"]
        #expect(reply != nil && reply?["delta"] == nil && reply?["id"] == nil, "offers are declined")
        try await ann.rpc("message.send", ["channel_id": "general", "text": "whole"])
        #expect(try await ann.pushesUntilNow().last?["push"]?["pub"]?["data"]?["message"]?["text"]?.string == "whole")
        await server.stop()
    }
}
