import Foundation
import HTTPTypes
import Testing

/// `token.create` over HTTP, and the use of its token.
@Suite struct TokenCreationTests {
    @Test func `US2: a user can connect with a token created by the server until deactivated`() async throws {
        let server = try await TestServer()
        let key = try #require(HTTPField.Name("X-API-Key"))
        func call(_ method: String, _ body: String) async throws -> (status: Int, body: JSON) {
            try await server.http(method, body, [key: TestServer.apiKey])
        }
        #expect(try await call("token.create", #"{"user_id":"bob"}"#).status == 404)
        _ = try await call("user.upsert", #"{"id":"bob"}"#)
        let created = try await call("token.create", #"{"user_id":"bob","seconds":3600}"#)
        #expect(created.status == 200)
        let token = try #require(created.body["token"]?.string)
        let bob = try await ChatPeer(port: server.port)
        let reply = try await bob.command("connect", ["token": token])["connect"]
        #expect(reply?["data"]?["user"]?["id"]?.string == "bob")
        #expect(reply?["expires"] == .bool(true))
        #expect((1...3_600).contains(reply?["ttl"]?.int ?? 0))
        let asUser = try await server.http("token.create", #"{"user_id":"bob"}"#, [.authorization: "Bearer \(token)"])
        #expect(asUser.status == 403 && asUser.body["error"]?["code"]?.int == 1009)
        _ = try await call("user.deactivate", #"{"user_id":"bob"}"#)
        #expect(try await call("token.create", #"{"user_id":"bob"}"#).body["error"]?["code"]?.int == 1008)
        await server.stop()
    }
}
