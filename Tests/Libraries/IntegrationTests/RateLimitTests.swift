import Foundation
import HTTPTypes
import Testing

/// The rate limit fields of HTTP responses. draft-ietf-httpapi-ratelimit-headers-11.
@Suite(.timeLimit(.minutes(3))) struct RateLimitTests {
    @Test
    func `users see their remaining rate and its reset, and the backend and unauthenticated clients see none`()
        async throws
    {
        let server = try await TestServer {
            // The burst lasts a third of a day at one per second, longer than the test takes.
            $0.limits.connection.commandsPerUser = .init(perSecond: 1, burst: 30_000)
        }
        let policy = try #require(HTTPField.Name("RateLimit-Policy"))
        let limit = try #require(HTTPField.Name("RateLimit"))
        let browser = try Browser(server)
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        let first = try await browser.ask("POST", "/v1/user.get", token, body: "{}")
        #expect(first.fields[policy] == #""user";q=30000;w=30000"#)
        #expect(first.fields[limit] == #""user";r=29999;t=1"#)
        let refused = try await browser.ask("POST", "/v1/user.get", token, body: #"{"user_id":"nobody"}"#)
        #expect(refused.status == 404 && refused.fields[limit]?.hasPrefix(#""user";r=2999"#) == true)
        let file = try await browser.ask("GET", "/v1/files/\(String(repeating: "0", count: 32))/a", token)
        #expect(file.status == 404 && file.fields[limit]?.hasPrefix(#""user";r=2999"#) == true)
        let backend = "X-API-Key: \(TestServer.apiKey)\r\n"
        for (field, path) in [(backend, "/v1/user.list_all"), ("", "/v1/user.get"), (token, "/v1x")] {
            let answer = try await browser.ask("POST", path, field, body: "{}")
            #expect(answer.fields[policy] == nil && answer.fields[limit] == nil, "\(path)")
        }
        await server.stop()
    }

    @Test func `all rate limit fields report an exhausted rate`() async throws {
        let server = try await TestServer { $0.limits.connection.commandsPerUser = .init(perSecond: 1, burst: 1) }
        let limit = try #require(HTTPField.Name("RateLimit"))
        let browser = try Browser(server)
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        // However slow the tests are, at some point one of two consecutive requests exceeds the rate.
        for _ in 0..<1_000 {
            let answer = try await browser.ask("POST", "/v1/user.get", token, body: "{}")
            #expect(answer.fields[limit] == #""user";r=0;t=1"#)
            guard answer.status == 429 else { continue }
            #expect(answer.fields[.retryAfter] == "1")
            await server.stop()
            return
        }
        Issue.record("never too many")
    }

    /// Regression: the content of each command was validated before it was refused, which kept a loop busy with 80
    /// connections.
    @Test
    func `N103: a large WebSocket command beyond the rate is refused by its id, before it is decoded`() async throws {
        let server = try await TestServer {
            $0.limits.connection.commandsPerUser = .init(secondsPerToken: 86_400, burst: 2)
        }
        let ann = try await server.connect("ann")
        #expect(try await ann.rpc("channel.list", [:])["rpc"] != nil)
        #expect(try await ann.rpc("channel.list", [:])["rpc"] != nil)
        let broken = #"{"rpc":{"method":"channel.list","data":[1 2 tru "# + String(repeating: "0,", count: 4_000)
        try ann.send(broken + #"]},"id":70}"# + "\n{}\n" + #"{"id":71,"ping":{}}"#)
        for id in [70, 71] {
            guard case .envelope(let reply) = try await ann.hear() else {
                Issue.record("closed")
                break
            }
            #expect(reply["id"]?.int == id && reply["error"]?["code"]?.int == 111)
            #expect(reply["error"]?["retry_after_ms"]?.int ?? 0 > 3_600_000)
        }
        #expect(try await server.metric("belfry_commands_refused_total") ?? 0 >= 2)
        try ann.send(broken)
        #expect(try await ann.hear() == .closed(3501), "what has no end is no command")
        await server.stop()
    }
}
