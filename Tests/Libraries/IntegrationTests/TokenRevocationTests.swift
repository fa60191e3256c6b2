import Belfry
import HTTPTypes
import Testing

/// Tokens verified by the host; those verified by Belfry are in `Tests/sdk/test_token_revocation.py`.
@Suite(.timeLimit(.minutes(3))) struct TokenRevocationTests {
    @Test func `a host that reports when a token was issued leaves revocation to the server`() async throws {
        let server = try await TestServer {
            $0.authenticate = { credentials in
                .user("bob", issuedAt: credentials.token.flatMap { Int64($0) })
            }
        }
        func connect(_ token: String) async throws -> ChatPeer {
            let peer = try await ChatPeer(port: server.port)
            _ = try await peer.command("connect", ["token": token])
            return peer
        }
        let (old, new, own) = try await (connect("99"), connect("100"), connect("without a time"))
        let refreshed = try await connect("1")
        _ = try await refreshed.command("refresh", ["token": "100"])
        let key = try #require(HTTPField.Name("X-API-Key"))
        let revoked = try await server.http(
            "user.revoke_tokens", #"{"user_id":"bob","before":100}"#, [key: TestServer.apiKey])
        #expect(revoked.status == 200 && revoked.body["before"]?.int == 100)
        guard case .closed(3500) = try await old.hear() else {
            Issue.record("still there")
            return
        }
        for peer in [new, own, refreshed] { #expect(try await peer.command("ping", [:])["ping"] != nil) }
        for (token, status) in [("99", 401), ("100", 200), ("x", 200)] {
            let answer = try await server.http("user.get", "{}", [.authorization: "Bearer \(token)"])
            #expect(answer.status == status, "\(token)")
        }
        try new.send(#"{"id":7,"refresh":{"token":"99"}}"#)
        guard case .closed(3500) = try await new.hear() else {
            Issue.record("refreshed with a revoked token")
            return
        }
        let stranger = try await ChatPeer(port: server.port)
        try stranger.send(#"{"id":1,"connect":{"token":"99"}}"#)
        guard case .closed(3500) = try await stranger.hear() else {
            Issue.record("let in")
            return
        }
        #expect(try await server.metric("belfry_token_revocations") == 1)
        await server.stop()
    }
}
