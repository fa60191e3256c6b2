import Belfry
import ChatModel
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

/// Tests with a host that authenticates users.
@Suite(.timeLimit(.minutes(3))) struct AuthenticationTests {
    private func start(_ change: (inout Belfry.Configuration) -> Void = { _ in }) async throws -> TestServer {
        try await TestServer {
            $0.authenticate = { credentials in
                if credentials.headerFields[.cookie] == "session=ann" { return .user("ann") }
                switch credentials.token {
                case "bob": return .user("bob", validFor: .seconds(90))
                case "old": return .expired
                case "nobody": return .user("")
                case "late": return .user("bob", validFor: .zero)
                case let token? where token.contains("."): return .asToken
                case "for ever":
                    try? await Task.sleep(for: .seconds(3_600))
                    return .user("bob")
                default: return .refused
                }
            }
            change(&$0)
        }
    }

    @Test func `a WebSocket connects and refreshes with any token that the host accepts`() async throws {
        let server = try await start()
        let bob = try await ChatPeer(port: server.port)
        let reply = try await bob.command("connect", ["token": "bob"])["connect"]
        #expect(reply?["data"]?["user"]?["id"]?.string == "bob" && reply?["ttl"]?.int == 90)
        #expect(try await bob.command("refresh", ["token": "bob"])["refresh"]?["ttl"]?.int == 90)
        #expect(try await bob.command("refresh", ["token": "old"])["error"]?["code"]?.int == 109)
        let ann = try await ChatPeer(port: server.port)
        let token = try await server.token("ann")
        #expect(try await ann.command("connect", ["token": token])["connect"]?["data"]?["user"]?["id"]?.string == "ann")
        let stranger = try await ChatPeer(port: server.port)
        try stranger.send(#"{"id":1,"connect":{"token":"x"}}"#)
        guard case .closed(3500) = try await stranger.hear() else {
            Issue.record("let in")
            return
        }
        await server.stop()
    }

    @Test(arguments: [
        ("Authorization: Bearer bob", 200, 0), ("Cookie: session=ann", 200, 0), ("Authorization: Bearer x", 401, 101),
        ("Authorization: Bearer nobody", 401, 101), ("Authorization: Bearer old", 401, 109),
        ("Authorization: Bearer late", 401, 109), ("X: y", 401, 101),
    ])
    func `HTTP requests are also authenticated by the host`(field: String, status: Int, code: Int) async throws {
        let server = try await start()
        let answer = try await Browser(server).ask("POST", "/v1/user.get", field + "\r\n", body: "{}")
        #expect(answer.status == status && answer.json?["error"]?["code"]?.int ?? 0 == code)
        await server.stop()
    }

    @Test func `the host receives the client's address and the reason for the check`() async throws {
        let seen = Mutex<[String]>([])
        let server = try await TestServer {
            $0.authenticate = { credentials in
                seen.withLock { $0.append("\(credentials.occasion) \(credentials.address ?? "nowhere")") }
                return .user("ann", validFor: .seconds(60))
            }
        }
        let ann = try await ChatPeer(port: server.port)
        _ = try await ann.command("connect", [:])
        _ = try await ann.command("refresh", ["token": "x"])
        _ = try await Browser(server).ask("POST", "/v1/user.get", body: "{}")
        #expect(seen.withLock { $0 } == ["connect", "refresh", "request"].map { $0 + " 127.0.0.1" })
        await server.stop()
    }

    @Test func `a slow host makes the client retry, and its check does not occupy a place forever`() async throws {
        let server = try await start {
            $0.authenticationLimits.time = .milliseconds(20)
            $0.authenticationLimits.maxConcurrentChecks = 1
        }
        let slow = try await ChatPeer(port: server.port)
        let error = try await slow.command("connect", ["token": "for ever"])["error"]
        #expect(error?["code"]?.int == 111 && error?["temporary"] == .bool(true))
        #expect(try await server.metric("belfry_authentications_late_total") == 1)
        #expect(try await server.awaits("belfry_authentications") { $0 == 0 })
        #expect(try await slow.command("connect", ["token": "bob"])["connect"] != nil)
        #expect(try await slow.command("refresh", ["token": "for ever"])["error"]?["code"]?.int == 111)
        #expect(try await server.awaits("belfry_authentications") { $0 == 0 })
        #expect(try await slow.command("refresh", ["token": "bob"])["refresh"] != nil)
        await server.stop()
    }

    @Test func `checks beyond the limit in flight are refused with a retry`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let server = try await TestServer {
            $0.authenticationLimits.maxConcurrentChecks = 1
            $0.authenticationLimits.time = .seconds(3_600)
            $0.authenticate = { _ in
                await begun.open()
                await gate.wait()
                return .user("ann")
            }
        }
        let (first, second) = (try Browser(server), try Browser(server))
        let ask = "POST /v1/user.get HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        try first.send(ask)
        await begun.wait()
        try second.send(ask)
        let refused = try await second.answer()
        #expect(refused.status == 429 && refused.json?["error"]?["code"]?.int == 111)
        #expect(try await server.metric("belfry_authentications_refused_total") == 1)
        await gate.open()
        #expect(try await first.answer().status == 200)
        await server.stop()
    }

    @Test func `a server with a host that authenticates users needs no token secret`() async throws {
        let server = try await start { $0.tokenSecret = nil }
        let bob = try await ChatPeer(port: server.port)
        #expect(try await bob.command("connect", ["token": "bob"])["connect"]?["ttl"]?.int == 90)
        // There is no key with which to sign a token for Belfry to verify.
        let stranger = try await Browser(server).ask(
            "POST", "/v1/user.get", "Authorization: Bearer \(try await server.token("ann"))\r\n", body: "{}")
        #expect(stranger.status == 401 && stranger.json?["error"]?["code"]?.int == 101)
        let key = try #require(HTTPField.Name("X-API-Key"))
        let token = try await server.http("token.create", #"{"user_id":"ann"}"#, [key: TestServer.apiKey])
        #expect(token.body["error"]?["code"]?.int == 1018)
        await server.stop()
    }

    @Test func `the error for a weak key names its setting, even if the host authenticates users`() async {
        let folder = NSTemporaryDirectory() + "belfry-test-" + UUID().uuidString
        func refusal(_ change: (inout Belfry.Configuration) -> Void) async -> String? {
            var configuration = Belfry.Configuration()
            configuration.port = 0
            configuration.dataFolder = folder
            change(&configuration)
            do throws(ConfigurationError) {
                let server = try await Server(configuration, logger: Logger(label: "test"))
                await server.stop()
                return nil
            } catch {
                return error.description
            }
        }
        let names: (inout Belfry.Configuration) -> Void = { $0.authenticate = { _ in .refused } }
        #expect(
            await refusal {
                names(&$0)
                $0.tokenSecret = ""
            } == "the token secret has 0 bytes and needs at least 32")
        #expect(
            await refusal {
                names(&$0)
                $0.apiKey = "short"
            } == "the API key has 5 bytes and needs at least 16")
        #expect(await refusal { _ in }?.hasPrefix("users cannot sign in: configure the token secret") == true)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
