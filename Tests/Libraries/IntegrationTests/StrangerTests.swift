import EventLoops
import Foundation
import HTTPTypes
import Testing

/// The cost limits for unauthenticated clients and for reading commands, over real sockets.
@Suite(.timeLimit(.minutes(3))) struct StrangerTests {
    private let key = "X-API-Key: \(TestServer.apiKey)\r\n"

    @Test(arguments: [
        ("GET", "/openapi.json", 1), ("GET", "/nothing", 1), ("PUT", "/metrics", 1),
        ("GET", "/metrics", 5), ("POST", "/v1/user.get", 1), ("POST", "/v1/guest.create", 1),
        ("GET", "/v1/files/00000000000000000000000000000000/a", 1),
    ])
    func `N20: an address has a limited rate without credentials, and others are unaffected`(
        method: String, path: String, cost: Int
    ) async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 10)
        }
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        for _ in 0..<10 / cost {
            #expect(try await Browser(server).ask(method, path).status != 429)
        }
        let refused = try await Browser(server).ask(method, path)
        #expect(refused.status == 429 && refused.json?["error"]?["code"]?.int == 111)
        #expect(refused.fields[.retryAfter].flatMap { Int($0) } ?? 0 > 3_600)
        for path in ["/livez", "/readyz"] { #expect(try await Browser(server).ask("GET", path).status == 200) }
        #expect(try await Browser(server).ask("POST", "/v1/user.list_all", key, body: "{}").status == 200)
        #expect(try await Browser(server).ask("POST", "/v1/channel.list", token, body: "{}").status == 200)
        let forged = "Authorization: Bearer no.such.token\r\n"
        #expect(try await Browser(server).ask("POST", "/v1/channel.list", forged, body: "{}").status == 429)
        let ann = try await server.connect("ann")
        #expect(try await ann.rpc("channel.list", [:])["rpc"] != nil, "a small connect is judged by its token")
        await server.stop()
    }

    /// Regression: a visit loads some 150 files, and a rate that counted them left the page blank for an office with
    /// one address.
    @Test func `the page's files are not counted, however many visitors share an address`() async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 1)
        }
        let browser = try Browser(server)
        for _ in 0..<20 { #expect(try await browser.ask("GET", "/").status == 200) }
        #expect(try await browser.ask("GET", "/nothing").status == 404)
        #expect(try await Browser(server).ask("GET", "/nothing").status == 429)
        #expect(try await Browser(server).ask("GET", "/").status == 200)
        await server.stop()
    }

    @Test func `N20: after a refusal the connection is read again only after the pause`() async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 1)
            $0.limits.connection.session.pauseMilliseconds = 50
        }
        let browser = try Browser(server)
        #expect(try await browser.ask("GET", "/nothing").status == 404)
        for _ in 0..<5 { #expect(try await browser.ask("GET", "/nothing").status == 429) }
        #expect(try await browser.ask("GET", "/livez").status == 200)
        await server.stop()
    }

    @Test func `N20: behind a trusted proxy each client has a separate rate limit; refusals are counted`() async throws
    {
        let proxy = try #require(IPRange("127.0.0.0/8"))
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 10)
            $0.limits.connection.proxies.ranges = [proxy]
            $0.limits.connection.session.pauseMilliseconds = 600_000
        }
        // One connection, like a proxy's, is not paused because of one of its clients.
        let upstream = try Browser(server)
        func status(_ client: String) async throws -> Int {
            try await upstream.ask("GET", "/metrics", "X-Forwarded-For: \(client)\r\n").status
        }
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await status("203.0.113.7")) }
        #expect(statuses == [200, 200, 429, 429])
        // An IPv6 network has the rate of five addresses.
        statuses = []
        for number in 0..<12 { statuses.append(try await status("2001:db8:7:\(number)::1")) }
        #expect(statuses == Array(repeating: 200, count: 10) + [429, 429])
        #expect(try await status("2001:db8:8::1") == 200)
        #expect(try await server.metric("belfry_strangers_refused_total") == 4)
        await server.stop()
    }

    /// Regression: verifying a forged token takes as long as verifying a valid one, but nobody was charged for it.
    @Test(arguments: ["Authorization: Bearer no.such.token", "X-API-Key: no such key"])
    func `N113: invalid credentials are charged to the address, and valid ones are not`(field: String) async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 10)
        }
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        for _ in 0..<20 {
            #expect(try await Browser(server).ask("POST", "/v1/channel.list", token, body: "{}").status == 200)
            #expect(try await Browser(server).ask("POST", "/v1/user.list_all", key, body: "{}").status == 200)
        }
        var statuses: [Int] = []
        for _ in 0..<12 {
            statuses.append(
                try await Browser(server).ask("POST", "/v1/channel.list", field + "\r\n", body: "{}").status)
        }
        #expect(statuses == Array(repeating: 401, count: 10) + [429, 429])
        let refused = try await Browser(server).ask("POST", "/v1/channel.list", field + "\r\n", body: "{}")
        #expect(refused.fields[.retryAfter].flatMap { Int($0) } ?? 0 > 3_600)
        #expect(try await Browser(server).ask("POST", "/v1/channel.list", token, body: "{}").status == 200)
        #expect(try await Browser(server).ask("POST", "/v1/user.list_all", key, body: "{}").status == 200)
        await server.stop()
    }

    private func subs(_ count: Int) -> [String: any Sendable] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map {
                ("room-\($0)-\(String(repeating: "r", count: 60))", ["recover": true, "offset": 1, "epoch": "e"])
            })
    }

    @Test
    func `N70: a large connect is read only within the address's rate, and is free with a valid token`() async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 30)
        }
        // Each hundred subscriptions take about 11 KiB.
        let large: [String: any Sendable] = ["subs": subs(400)]
        for _ in 0..<20 {
            let ann = try await server.connect("ann", connect: large)
            #expect(try await ann.rpc("channel.list", [:])["rpc"] != nil)
        }
        var heard: [ChatPeer.Heard] = []
        for _ in 0..<4 {
            let stranger = try await ChatPeer(port: server.port)
            let body: [String: any Sendable] = ["token": "no.such.token", "subs": subs(400)]
            let connect = try JSONSerialization.data(withJSONObject: ["id": 1, "connect": body])
            try stranger.send(String(decoding: connect, as: UTF8.self))
            heard.append(try await stranger.hear())
        }
        #expect(heard.first == .closed(3500))
        #expect(heard.last == .closed(3013))
        #expect(heard.allSatisfy { $0 == .closed(3500) || $0 == .closed(3013) })
        let small = try await ChatPeer(port: server.port)
        try small.send(#"{"id":1,"connect":{"token":"no.such.token"}}"#)
        #expect(try await small.hear() == .closed(3500), "it is told what is wrong")
        await server.stop()
    }

    @Test func `N70: the bytes of a connect are charged as they arrive, before it is complete`() async throws {
        let server = try await TestServer {
            $0.limits.connection.strangers.requests = .init(secondsPerToken: 86_400, burst: 30)
        }
        let stranger = try await ChatPeer(port: server.port)
        // The header of a message of 400,000 bytes, and less than half of its payload.
        try stranger.peer.write([0x81, 0xFF, 0, 0, 0, 0, 0, 6, 0x1A, 0x80, 0, 0, 0, 0])
        try stranger.peer.write(Array(repeating: UInt8(ascii: "x"), count: 160_000))
        #expect(try await stranger.hear() == .closed(3013))
        await server.stop()
    }

    @Test
    func `N37: a command's bytes count toward its user's rate, over HTTP and WebSocket, whatever its outcome`()
        async throws
    {
        let server = try await TestServer {
            $0.limits.connection.commandsPerUser = .init(secondsPerToken: 86_400, burst: 20)
        }
        let browser = try Browser(server)
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        let broken = #"{"user_ids":["# + String(repeating: "1,", count: 75_000) + "1]}"
        let first = try await browser.ask("POST", "/v1/user.list", token, body: broken)
        #expect(first.json?["error"]?["code"]?.int == 1031)
        #expect(first.json?["error"]?["message"]?.string?.hasSuffix("user_ids: at most 250") == true)
        let second = try await browser.ask("POST", "/v1/user.list", token, body: broken)
        #expect(second.json?["error"]?["code"]?.int == 1031)
        let third = try await browser.ask("POST", "/v1/user.list", token, body: broken)
        #expect(third.status == 429 && third.json?["error"]?["code"]?.int == 111)
        #expect(try await browser.ask("POST", "/v1/user.list_all", key, body: "{}").status == 200)

        let bob = try await server.connect("bob")
        let long = String(repeating: "x", count: 60_000)
        var codes: [Int?] = []
        for _ in 0..<6 {
            let answer = try await bob.rpc("message.send", ["channel_id": "none", "text": long])
            codes.append(answer["error"]?["code"]?.int)
        }
        #expect(codes.prefix(5).allSatisfy { $0 != 111 && $0 != nil }, "four each")
        #expect(codes.last == 111)
        await server.stop()
    }

    /// Regression: a user could open the maximum number of downloads and read none of them.
    @Test
    func `N06: a stalled download is closed and frees its open file`() async throws {
        let server = try await TestServer {
            $0.limits.files.pieceMilliseconds = 200
            $0.limits.files.openFiles = 8
        }
        let ann = try await server.connect("ann")
        try await ann.rpc("channel.create", ["id": "films"])
        let token = "Authorization: Bearer \(try await server.token("ann"))"
        let browser = try Browser(server)
        let film = [UInt8](repeating: 0xFF, count: 24 << 20)
        let uploaded = try await browser.upload(film, "channel_id=films&name=a", token)
        let id = try #require(uploaded.json?["file"]?["id"]?.string)
        let path = "/v1/files/\(id)/a"
        try await ann.rpc("message.send", ["channel_id": "films", "kind": "file", "files": [["id": id]]])
        #expect(try await server.awaits("belfry_files_open") { $0 == 0 })
        var deaf: [Browser] = []
        for _ in 0..<8 {
            let peer = try Browser(server)
            peer.peer.shrinkReceiveBuffer()
            try peer.peer.write(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\(token)\r\n\r\n".utf8))
            deaf.append(peer)
        }
        // Of the eight places, ann has her share: half of them and then at most one more. The others were refused.
        #expect(try await server.awaits("belfry_files_refused_total") { $0 >= 1 })
        #expect(try await server.awaits("belfry_downloads_slow_total") { $0 >= 1 })
        #expect(try await server.awaits("belfry_files_open") { $0 == 0 })
        #expect(try await Browser(server).get("/v1/files/\(id)x/a", token).status == 404)
        withExtendedLifetime(deaf) {}
        await server.stop()
    }
}
