import Foundation
import HTTPTypes
import Testing

/// What answers over HTTP tell of the rate. draft-ietf-httpapi-ratelimit-headers-11.
@Suite(.timeLimit(.minutes(3))) struct RateLimitTests {
    @Test func `a user hears what is left and when there is more, the backend and strangers hear nothing`() async throws
    {
        let server = try await TestServer {
            // One a second, at most three at once; the test takes less than the third of a day.
            $0.limits.connection.commandsOfUser = .init(perSecond: 1, burst: 30_000)
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

    @Test func `who has used the rate up is told so by all fields`() async throws {
        let server = try await TestServer { $0.limits.connection.commandsOfUser = .init(perSecond: 1, burst: 1) }
        let limit = try #require(HTTPField.Name("RateLimit"))
        let browser = try Browser(server)
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        // However slow the tests are: one of two that follow at once is too many.
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
}
