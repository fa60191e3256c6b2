import Belfry
import BelfryClient
import ChildProcesses
import Foundation
import Testing

/// A client that knows two servers. They share nothing but their keys.
@Suite(.timeLimit(.minutes(3))) struct SeveralServersTests {
    private func url(_ server: TestServer) -> String { "ws://127.0.0.1:\(server.port)/connection/websocket" }

    /// Waits until the client is connected to a URL of which this is true.
    private func connectedURL(_ client: BelfryClient, _ isWanted: (String) -> Bool) async -> String? {
        for await state in client.states {
            if case .connected(let info) = state, isWanted(info.url) { return info.url }
        }
        return nil
    }

    @Test func `a client continues at the other server when its own stops`() async throws {
        let servers = [try await TestServer(), try await TestServer()]
        let general = try #require(ChannelID("general"))
        for server in servers { _ = try await server.server.call(CreateChannel(id: general), as: .user("ann")) }
        let token = try await servers[0].token("ann")
        var configuration = BelfryClient.Configuration(urls: servers.map(url)) { token }
        configuration.backoff = Backoff(minimum: .milliseconds(10), maximum: .milliseconds(50))
        configuration.commandTimeout = .seconds(120)
        let client = try BelfryClient(configuration)
        let events = client.events
        client.connect()
        _ = try await client.call(SendMessage(channelID: general, text: "first"))

        let used = await connectedURL(client) { _ in true }
        let (first, second) = used == url(servers[0]) ? (servers[0], servers[1]) : (servers[1], servers[0])
        #expect(used == url(first))
        await first.stop()
        #expect(await connectedURL(client) { $0 != used } == url(second))
        _ = try await client.call(SendMessage(channelID: general, text: "second"))
        let listed = try await second.server.call(ListMessages(channelID: general), as: .user("ann")).messages
        #expect(listed.map(\.text) == ["second"])

        var subscriptions: [[Bool]] = []
        for await event in events {
            guard case .subscribed(.channel(general), let recovered, let wasRecovering) = event else { continue }
            subscriptions.append([recovered, wasRecovering])
            if subscriptions.count == 2 { break }
        }
        // Each server has epochs of its own.
        #expect(subscriptions == [[false, false], [false, true]])
        client.disconnect()
        await second.stop()
    }

    @Test func `over TLS, each server must have a certificate for the host in its own URL`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-nodes-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var servers: [String: TestServer] = [:]
        var authorities = ""
        for (host, name) in [("127.0.0.1", "IP:127.0.0.1"), ("localhost", "DNS:localhost")] {
            let (certificate, key) = (folder + "/\(host).pem", folder + "/\(host).key")
            try makeCertificate(certificate, key, for: name)
            authorities += try String(contentsOfFile: certificate, encoding: .utf8)
            let server = try await TestServer {
                $0.tls = .init(port: 0, certificatePath: certificate, keyPath: key)
            }
            let port = try #require(server.server.tlsAddress).port
            servers["wss://\(host):\(port)/connection/websocket"] = server
        }
        try authorities.write(toFile: folder + "/authorities.pem", atomically: false, encoding: .utf8)
        let token = try await #require(servers.values.first).token("ann")
        var configuration = BelfryClient.Configuration(urls: servers.keys.sorted()) { token }
        configuration.trustedAuthorities = try TrustedAuthorities(file: folder + "/authorities.pem")
        configuration.backoff = Backoff(minimum: .milliseconds(10), maximum: .milliseconds(50))
        let client = try BelfryClient(configuration)
        client.connect()
        let used = try #require(await connectedURL(client) { _ in true })
        await servers.removeValue(forKey: used)?.stop()
        let next = await connectedURL(client) { $0 != used }
        #expect(next.map { [$0] } == Array(servers.keys))
        client.disconnect()
        for server in servers.values { await server.stop() }
    }

    private func makeCertificate(_ certificate: String, _ key: String, for name: String) throws {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=belfry "
                + "-addext subjectAltName=\(name) -keyout \(key) -out \(certificate)")
    }
}
