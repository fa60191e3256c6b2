import Foundation
import HTTPTypes
import Logging
import Testing

@testable import Belfry

/// Tests of running, inspecting and reconfiguring a server, for operators and embedding programs.
@Suite struct RunningTests {
    private func configuration(in folder: String, port: UInt16 = 0) -> Belfry.Configuration {
        var configuration = Belfry.Configuration(tokenSecret: TestServer.secret, apiKey: TestServer.apiKey)
        (configuration.port, configuration.loopCount, configuration.dataFolder) = (port, 1, folder)
        configuration.limits.drainMilliseconds = 100
        return configuration
    }

    private func temporaryFolder() -> String { NSTemporaryDirectory() + "belfry-test-" + UUID().uuidString }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `a server accepts in-process commands before it runs, and clients once it does`() async throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await Server(configuration(in: folder), logger: logger)
        let early = try Peer(port: server.address.port)
        try early.write(Array("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let general = try #require(ChannelID("general"))
        _ = try await server.call(CreateChannel(id: general, isPublic: true), as: .server)
        #expect(!server.services.content.readiness.isReady)
        let running = Task { try await server.run() }
        #expect(String(decoding: try await early.read(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        running.cancel()
        try await running.value
    }

    @Test func `a server that stops before it runs closes its sockets`() async throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await Server(configuration(in: folder), logger: logger)
        let early = try Peer(port: server.address.port)
        await server.stop()
        await #expect(throws: Peer.Closed.self) { _ = try await early.read() }
    }

    @Test
    func `the admin listener accepts a limited number of connections per loop and closes any others`() async throws {
        let server = try await TestServer(loops: 1) {
            $0.admin.port = 0
            $0.limits.connection.adminConnectionsPerLoop = 2
        }
        let port = try #require(server.server.adminAddress?.port)
        var inside: [Peer] = []
        for _ in 0..<2 {
            let peer = try Peer(port: port)
            try peer.write(Array("GET /queues HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            _ = try await peer.read()
            inside.append(peer)
        }
        let refused = try Peer(port: port)
        await #expect(throws: Peer.Closed.self) { _ = try await refused.read() }
        #expect(try await server.metric(#"belfry_connections_refused_total{reason="admin"}"#) == 1)
        withExtendedLifetime(inside) {}
        await server.stop()
    }

    @Test func `reloaded settings apply to new connections on every loop`() async throws {
        let server = try await TestServer(loops: 2)
        func statuses(_ count: Int) async throws -> Set<String> {
            var statuses: Set<String> = []
            // Connections go to each loop in turn.
            for _ in 0..<count {
                let peer = try Peer(port: server.port)
                try peer.write(
                    Array(
                        ("GET /connection/websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Origin: https://elsewhere.example\r\n\r\n").utf8))
                statuses.insert(String(decoding: try await peer.read().prefix(12), as: UTF8.self))
            }
            return statuses
        }
        #expect(try await statuses(4) == ["HTTP/1.1 101"])
        try await server.server.reloadSettings { () throws(ConfigurationError) in
            var fresh = Belfry.Configuration(tokenSecret: TestServer.secret, apiKey: TestServer.apiKey)
            try await fresh.apply(
                settingsFile: nil, environment: ["BELFRY_SERVER_ALLOWED_ORIGINS": "https://chat.example.com"])
            return fresh
        }
        #expect(try await statuses(16) == ["HTTP/1.1 403"])
        await server.stop()
    }
}
