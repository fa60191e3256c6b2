import Foundation
import HTTPTypes
import Testing

/// Limits on unfinished requests and messages, per user and per unauthenticated address.
@Suite(.timeLimit(.minutes(3))) struct UnfinishedBytesTests {
    private let refusals = #"belfry_connections_refused_total{reason="unfinished_bytes"}"#

    private func server(ofUser: Int = 200_000, total: Int = 1_000_000_000) async throws -> TestServer {
        try await TestServer { $0.limits.connection.unfinished = .init(ofUser: ofUser, total: total) }
    }

    /// Returns a connection with a body that lacks its last two bytes.
    private func begun(_ server: TestServer, _ field: String, bytes: Int, isKnown: Bool = true) async throws -> Browser
    {
        let browser = try Browser(server)
        if isKnown {
            #expect(try await browser.ask("POST", "/v1/channel.list", field, body: "{}").status == 200)
        }
        try browser.send("POST /v1/channel.list HTTP/1.1\r\nHost: x\r\nContent-Length: \(bytes + 2)\r\n\(field)\r\n{")
        try browser.send(String(repeating: " ", count: bytes - 1))
        return browser
    }

    /// Sends the rest of the body and returns the status.
    private func finish(_ browser: Browser) async throws -> Int {
        try browser.send(" }")
        return try await browser.answer().status
    }

    private func holds(_ server: TestServer, _ bytes: ClosedRange<Int>) async throws -> Bool {
        try await server.awaits("belfry_unfinished_bytes") { bytes.contains($0) }
    }

    /// Regression: 600 connections of one user took 905 MiB.
    @Test func `N106: incomplete request bytes are limited per user, without affecting others`() async throws {
        let server = try await server()
        let ann = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        let bob = "Authorization: Bearer \(try await server.token("bob"))\r\n"
        let first = try await begun(server, ann, bytes: 150_000)
        #expect(try await holds(server, 140_000...150_000))
        let second = try await begun(server, ann, bytes: 100_000)
        let refused = try await second.answer()
        #expect(refused.status == 429 && refused.fields[.retryAfter] == "1")
        #expect(refused.json?["error"]?["code"]?.int == 111)
        #expect(try await server.metric(refusals) == 1)
        let other = try await begun(server, bob, bytes: 150_000)
        #expect(try await finish(other) == 200)
        // Small requests are never counted.
        #expect(try await Browser(server).ask("POST", "/v1/channel.list", ann, body: "{}").status == 200)
        #expect(try await finish(first) == 200)
        #expect(try await holds(server, 0...0))
        let third = try await begun(server, ann, bytes: 150_000)
        #expect(try await finish(third) == 200)
        await server.stop()
    }

    @Test
    func `N106: unauthenticated clients share a limit per address, and the backend is not limited`() async throws {
        let server = try await server()
        let first = try await begun(server, "", bytes: 150_000, isKnown: false)
        #expect(try await holds(server, 140_000...150_000))
        let refused = try await begun(server, "", bytes: 100_000, isKnown: false).answer()
        #expect(refused.status == 429)
        let key = "X-API-Key: \(TestServer.apiKey)\r\n"
        let backend = try Browser(server)
        #expect(try await backend.ask("POST", "/v1/user.list_all", key, body: "{}").status == 200)
        let body = "{" + String(repeating: " ", count: 600_000) + "}"
        #expect(try await backend.ask("POST", "/v1/user.list_all", key, body: body).status == 200)
        #expect(try await finish(first) == 401)
        await server.stop()
    }

    @Test
    func `N106: above the total limit, clients with more than a few unfinished bytes are refused with a retry`()
        async throws
    {
        let server = try await server(ofUser: 100_000_000, total: 10_000)
        let ann = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        let first = try await begun(server, ann, bytes: 500_000)
        #expect(try await holds(server, 490_000...500_000), "a mebibyte is always allowed")
        let second = try await begun(server, ann, bytes: 500_000)
        #expect(try await holds(server, 980_000...1_000_000))
        let refused = try await begun(server, ann, bytes: 500_000).answer()
        #expect(refused.status == 503 && refused.fields[.retryAfter] == "1")
        #expect(try await finish(first) == 200)
        #expect(try await finish(second) == 200)
        await server.stop()
    }

    @Test func `N107: unfinished messages are counted too`() async throws {
        let server = try await server(ofUser: 100_000)
        let first = try await server.connect("ann")
        let second = try await server.connect("ann")
        /// The header of a text frame of 60,000 bytes, and its first 59,000 bytes.
        let begun = [0x81, 0xFE, 0xEA, 0x60, 0, 0, 0, 0] + [UInt8](repeating: 0x20, count: 59_000)
        try first.peer.write(begun)
        #expect(try await holds(server, 50_000...60_000))
        try second.peer.write(begun)
        #expect(try await second.hear() == .closed(3013))
        try first.peer.write([UInt8](repeating: 0x20, count: 998) + Array("{}".utf8))
        #expect(try await first.rpc("channel.list", [:])["rpc"] != nil)
        #expect(try await server.metric(refusals) == 1)
        await server.stop()
    }
}
