import Foundation
import HTTPTypes
import Testing

/// Connect replies over real sockets.
@Suite struct ConnectReplyTests {
    @Test func `U1: the connect reply contains the unread totals`() async throws {
        let server = try await TestServer()
        _ = try await server.http(
            "user.get", "{}", [.authorization: "Bearer \(try await server.token("bob"))"])
        let ann = try await server.connect("ann")
        for channel in ["general", "second", "quiet"] {
            try await ann.rpc("channel.create", ["id": channel, "user_ids": ["bob"]])
        }
        for channel in ["general", "general", "second"] {
            try await ann.rpc("message.send", ["channel_id": channel, "text": "hello"])
        }
        try await ann.rpc("message.send", ["channel_id": "second", "text": "all!", "mention_type": "channel"])
        for subscribe in ["joined", "none"] {
            let bob = try await ChatPeer(port: server.port)
            let reply = try await bob.command(
                "connect", ["token": try await server.token("bob"), "data": ["subscribe": subscribe]])
            let data = try #require(reply["connect"]?["data"])
            #expect(
                data["unread"]
                    == .object([
                        "unread_count": .int(4), "unread_mention_count": .int(1), "unread_channel_count": .int(2),
                        "unread_thread_count": .int(0), "unread_reply_count": .int(0),
                    ]))
            #expect(data["unread"] == (try await bob.rpc("read.counts", [:]))["rpc"]?["data"]?["unread"])
            #expect(data["user"]?["id"]?.string == "bob" && data["user"]?["online"] == .bool(true))
        }
        await server.stop()
    }
}
