import Foundation
import HTTPTypes
import Testing

/// Presence over real sockets (`US6`).
@Suite struct PresenceTests {
    /// Returns the next presence event that the peer receives.
    private func nextPresence(_ peer: ChatPeer) async throws -> JSON {
        while true {
            guard case .envelope(let envelope) = try await peer.hear() else { throw Peer.Closed() }
            if envelope.pushed.hasSuffix(" presence.changed") { return envelope }
        }
    }

    /// Creates a user who can be invited and is not online yet.
    private func meet(_ user: String, _ server: TestServer) async throws {
        _ = try await server.http("user.get", "{}", [.authorization: "Bearer \(try await server.token(user))"])
    }

    @Test(arguments: [0, 1])
    func `US6: other users see a user's first connection and the end of the last`(grace: Int) async throws {
        let server = try await TestServer { $0.chat.presenceGraceMilliseconds = grace }
        try await meet("bob", server)
        let ann = try await server.connect("ann")
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        try await ann.rpc("channel.create", ["id": "second", "user_ids": ["bob"]])
        #expect(try await server.metric("belfry_users_online") == 1)
        var bob: ChatPeer? = try await server.connect("bob")
        var second: ChatPeer? = try await server.connect("bob", connect: ["data": ["subscribe": "none"]])
        let came = try await ann.pushesUntilNow().filter { $0.pushed.hasSuffix("presence.changed") }
        #expect(came.map(\.pushed) == ["general presence.changed", "second presence.changed"])
        let event = try #require(came.first?["push"]?["pub"])
        #expect(event["offset"] == nil && event["data"]?["by"]?.string == "bob")
        #expect(event["data"]?["presence"] == .object(["user_id": .string("bob"), "online": .bool(true)]))
        #expect(try await bob?.pushesUntilNow().isEmpty == true, "they had come before they listened")
        let members = try await ann.rpc("member.list", ["channel_id": "general"])
        #expect(members["rpc"]?["data"]?["members"]?.array.map { $0["online"] } == [.bool(true), .bool(true)])
        #expect(try await server.metric("belfry_users_online") == 2)
        bob = nil
        _ = try await second?.command("ping", [:])
        second = nil
        let left = try await nextPresence(ann)["push"]?["pub"]?["data"]
        #expect(left?["presence"]?["online"] == .bool(false))
        let seen = try #require(left?["presence"]?["last_seen_at"]?.int)
        let user = try await ann.rpc("user.get", ["user_id": "bob"])["rpc"]?["data"]?["user"]
        #expect(user?["online"] == .bool(false) && user?["last_seen_at"]?.int == seen)
        #expect(try await server.metric("belfry_users_online") == 1)
        await server.stop()
    }

    @Test func `US2, US6: a deactivated user is reported as offline`() async throws {
        let server = try await TestServer()
        try await meet("bob", server)
        let ann = try await server.connect("ann")
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        let bob = try await server.connect("bob")
        _ = try await ann.pushesUntilNow()
        let key = try #require(HTTPField.Name("X-API-Key"))
        let answer = try await server.http("user.deactivate", #"{"user_id":"bob"}"#, [key: TestServer.apiKey])
        #expect(answer.body["user"]?["online"] == .bool(false))
        #expect(try await nextPresence(ann)["push"]?["pub"]?["data"]?["presence"]?["online"] == .bool(false))
        #expect(try await bob.hear() == .closed(3503))
        await server.stop()
    }
}
