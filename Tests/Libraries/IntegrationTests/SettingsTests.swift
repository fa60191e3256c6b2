import Foundation
import HTTPTypes
import Testing

/// Settings from the file, in commands and in the connect reply.
@Suite struct SettingsTests {
    private func settings(_ server: TestServer, _ user: String) async throws -> JSON? {
        let peer = try await ChatPeer(port: server.port)
        let reply = try await peer.command("connect", ["token": try await server.token(user)])
        return reply["connect"]?["data"]?["settings"]
    }

    @Test func `T2, U4: connect returns the client settings as configured and after changes`() async throws {
        let server = try await TestServer { configuration in
            configuration.chat.threadReplySelect = .parent
        }
        let initial = try #require(try await settings(server, "ann"))
        #expect(initial["reply_type"]?.string == "quote_reply" && initial["thread_reply_select"]?.string == "parent")
        #expect(initial["mark_as_unread"] == .bool(false) && initial["reactions"] == .bool(true))
        let key = try #require(HTTPField.Name("X-API-Key"))
        let answer = try await server.http(
            "settings.update", #"{"reply_type":"thread","mark_as_unread":true}"#, [key: TestServer.apiKey])
        #expect(answer.status == 200 && answer.body["settings"]?["reply_type"]?.string == "thread")
        let wrong = try await server.http("settings.update", #"{"reply_type":"both"}"#, [key: TestServer.apiKey])
        #expect(wrong.status == 400)
        let changed = try #require(try await settings(server, "bob"))
        #expect(changed["reply_type"]?.string == "thread" && changed["mark_as_unread"] == .bool(true))
        await server.stop()
    }
}
