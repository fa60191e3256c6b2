import Belfry
import Foundation
import HTTPTypes
import Testing

/// Users without an account, over HTTP and WebSocket. `APITests/GuestRightsTests.swift` tests their rights.
@Suite(.timeLimit(.minutes(3))) struct GuestTests {
    private static func welcoming(
        _ change: (inout Belfry.Configuration) -> Void = { _ in }
    ) async throws -> TestServer {
        try await TestServer {
            $0.chat.guests.isEnabled = true
            change(&$0)
        }
    }

    @Test func `CH2: a guest joins without credentials, browses a public channel and talks there`() async throws {
        let server = try await Self.welcoming()
        let ann = try await server.connect("ann")
        try await ann.rpc("channel.create", ["id": "square", "is_public": true])
        try await ann.rpc("channel.create", ["id": "shed"])
        let made = try await server.http("guest.create", #"{"nickname":"Gus"}"#, [:])
        #expect(made.status == 200 && made.body["user"]?["is_guest"] == .bool(true))
        let (id, token) = (made.body["user"]?["id"]?.string, try #require(made.body["token"]?.string))
        let guest = try await ChatPeer(port: server.port)
        let reply = try await guest.command("connect", ["token": token])["connect"]
        #expect(reply?["data"]?["user"]?["id"]?.string == id && id?.hasPrefix("guest-") == true)
        _ = try await guest.rpc("channel.join", ["channel_id": "square"])
        let sent = try await guest.rpc("message.send", ["channel_id": "square", "text": "hello"])["rpc"]?["data"]
        #expect(sent?["message"]?["user"]?["is_guest"] == .bool(true))
        let shed = try await guest.rpc("channel.get", ["channel_id": "shed"])
        #expect(shed["error"]?["code"]?.int == 1000)
        let created = try await guest.rpc("channel.create", [:])
        #expect(created["error"]?["code"]?.int == 1026)
        let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
        #expect(
            try await server.http("user.list", #"{"user_ids":["ann"]}"#, bearer).body["error"]?["code"]?.int == 1026)
        #expect(try await server.http("guest.create", "{}", bearer).status == 403)
        #expect(try await server.metric("belfry_guests") == 1)
        await server.stop()
    }

    @Test func `with guests disabled no guest gets in, and a token with a guest's id is refused`() async throws {
        let server = try await TestServer()
        let refused = try await server.http("guest.create", "{}", [:])
        #expect(refused.status == 403 && refused.body["error"]?["code"]?.int == 1018)
        #expect(try await server.http("user.get", "{}", [:]).status == 401)
        let stranger = try await ChatPeer(port: server.port)
        let token = try await server.token("guest-0123456789abcdef0123456789abcdef")
        try stranger.send(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
        // The message is distinct, because the client need not fetch another token.
        guard case .envelope(let refusal) = try await stranger.hear() else {
            Issue.record("closed without a word")
            return
        }
        #expect(refusal["error"]?["code"]?.int == 1018)
        #expect(try await stranger.hear() == .closed(3503))
        await server.stop()
    }

    @Test func `a token for an unknown guest creates no user`() async throws {
        let server = try await Self.welcoming()
        let stranger = try await ChatPeer(port: server.port)
        let token = try await server.token("guest-0123456789abcdef0123456789abcdef")
        try stranger.send(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
        #expect(try await stranger.hear() == .closed(3500))
        #expect(try await server.http("user.get", "{}", [.authorization: "Bearer \(token)"]).status == 401)
        #expect(try await server.metric("belfry_guests") == 0)
        await server.stop()
    }

    @Test func `guest creation is limited per address; the backend has only the total limit`() async throws {
        let server = try await Self.welcoming {
            $0.limits.connection.guests.perAddress = 2
            $0.limits.connection.guests.secondsEach = 86_400
            $0.chat.guests.limit = 4
        }
        for _ in 0..<2 { #expect(try await server.http("guest.create", "{}", [:]).status == 200) }
        let refused = try await server.http("guest.create", "{}", [:])
        #expect(refused.status == 429 && refused.body["error"]?["code"]?.int == 111)
        #expect(try await server.metric("belfry_guests_refused_total") == 1)
        let key = try #require(HTTPField.Name("X-API-Key"))
        for _ in 0..<2 { #expect(try await server.http("guest.create", "{}", [key: TestServer.apiKey]).status == 200) }
        let full = try await server.http("guest.create", "{}", [key: TestServer.apiKey])
        #expect(full.status == 400 && full.body["error"]?["code"]?.int == 1031)
        await server.stop()
    }

    @Test func `long-absent guests are searched for periodically`() async throws {
        // The server checks once a second, and the first few checks must keep this guest.
        let server = try await Self.welcoming { $0.chat.guests.awaySeconds = 5 }
        #expect(try await server.http("guest.create", "{}", [:]).status == 200)
        let deadline = ContinuousClock.now.advanced(by: .seconds(120))
        while try await server.metric("belfry_guests_removed_total") == 0, .now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await server.metric("belfry_guests_removed_total") == 1)
        await server.stop()
    }

    @Test
    func `the refusal of guests while they are disabled is the same for every retry and not counted`() async throws {
        let server = try await TestServer { $0.limits.connection.guests.perAddress = 1 }
        for _ in 0..<3 {
            let refused = try await server.http("guest.create", "{}", [:])
            #expect(refused.status == 403 && refused.body["error"]?["code"]?.int == 1018)
        }
        #expect(try await server.metric("belfry_guests_refused_total") == 0)
        await server.stop()
    }

    @Test
    func `an idempotency key requires credentials, because anybody could request its response`() async throws {
        let server = try await Self.welcoming()
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let refused = try await server.http("guest.create", "{}", [name: "\"a\""])
        #expect(refused.status == 400 && refused.body["error"]?["code"]?.int == 107)
        let key = try #require(HTTPField.Name("X-API-Key"))
        let named: HTTPFields = [key: TestServer.apiKey, name: "\"a\""]
        let (first, again) = (
            try await server.http("guest.create", "{}", named), try await server.http("guest.create", "{}", named)
        )
        #expect(first.status == 200 && first.body == again.body)
        await server.stop()
    }

    @Test func `a host that authenticates users leaves authenticating guests to the server`() async throws {
        let guests = try await Self.welcoming {
            $0.authenticate = { credentials in
                switch credentials.token {
                case "as guest": .user("guest-0123456789abcdef0123456789abcdef")
                case let token?: token.contains(".") ? .asToken : .user(token)
                case nil: .user("a visitor with a cookie")
                }
            }
        }
        let made = try await guests.http("guest.create", "{}", [:])
        let token = try #require(made.body["token"]?.string)
        for (token, status) in [(token, 200), ("ann", 200), ("as guest", 401)] {
            #expect(try await guests.http("user.get", "{}", [.authorization: "Bearer \(token)"]).status == status)
        }
        await guests.stop()
    }

    @Test func `enabling guests without a signing key prevents startup with 1018`() throws {
        var configuration = Belfry.Configuration()
        configuration.authenticate = { _ in .refused }
        try configuration.check()
        configuration.chat.guests.isEnabled = true
        do throws(ConfigurationError) {
            try configuration.check()
            Issue.record("started")
        } catch {
            #expect(error.description.contains("guests.enabled") && error.exitCode == 78)
        }
        configuration.tokenSecret = TestServer.secret
        try configuration.check()
    }
}
