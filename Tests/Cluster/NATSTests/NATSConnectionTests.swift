#if Cluster
import Foundation
import LiveServers
import NATS
import Replication
import Testing

@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct NATSConnectionTests {
    private static let authorization: @Sendable (String) -> String = {
        "authorization { user: ann, password: secret }\n" + NATSServer.jetStream($0)
    }

    @Test func `the connected server is reported`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        try await eventually { client.state == .connected(server: "127.0.0.1:\(server.port)") }
        client.connection.close()
        try await eventually { client.state == .closed }
    }

    @Test func `an unreachable server is reported, and reached once it starts`() async throws {
        let port = try NATSServer.freePort()
        let client = try Client(urls: ["nats://127.0.0.1:\(port)"])
        try await eventually {
            if case .unreachable(server: "127.0.0.1:\(port)", _) = client.failure { true } else { false }
        }
        let server = try NATSServer(port: port)
        try await eventually { client.isConnected }
        withExtendedLifetime(server) {}
    }

    @Test func `the user and password in the URL sign in`() async throws {
        let server = try NATSServer(Self.authorization)
        let client = try Client(urls: ["nats://ann:secret@127.0.0.1:\(server.port)"])
        #expect(try await client.log().append("a", after: 0) == .stored(1))
        #expect(client.state == .connected(server: "127.0.0.1:\(server.port)"))
    }

    @Test(arguments: ["", "ann:wrong@", "bob:secret@"])
    func `wrong credentials are reported, even if another server is unreachable`(user: String) async throws {
        let server = try NATSServer(Self.authorization)
        let unreachable = try NATSServer.freePort()
        let client = try Client(
            urls: ["nats://127.0.0.1:\(unreachable)", "nats://\(user)127.0.0.1:\(server.port)"])
        try await eventually {
            if case .wrongCredentials(server: "127.0.0.1:\(server.port)", _) = client.failure { true } else { false }
        }
    }

    @Test func `a credentials file that cannot be read is named`() async throws {
        let server = try NATSServer()
        let client = try Client(urls: [server.url], credentials: "/no/such.creds")
        try await eventually {
            client.failure == .unreadable(path: "/no/such.creds", reason: "No such file or directory")
        }
    }

    @Test func `a file without credentials is reported`() async throws {
        let server = try NATSServer()
        let client = try Client(urls: [server.url], credentials: #filePath)
        try await eventually {
            if case .wrongCredentials(_, let reason) = client.failure { reason.contains(#filePath) } else { false }
        }
    }

    @Test(arguments: ["", "127.0.0.1:4222", "http://127.0.0.1", "nats://", "nats://:4222", "nats://a b"])
    func `what is not a server's URL is refused`(text: String) {
        #expect(throws: NATSError.invalidServer(text)) { try NATSSettings(servers: [text], name: "test") }
    }

    @Test func `an invalid URL is reported without its password`() {
        #expect(throws: NATSError.invalidServer("host")) {
            try NATSSettings(servers: ["http://ann:secret@host"], name: "test")
        }
    }

    @Test func `a connection moves to another server when its own is killed`() async throws {
        let servers = try [NATSServer { _ in "" }, NATSServer { _ in "" }]
        let client = try Client(servers)
        try await eventually { client.isConnected }
        let first = try #require(servers.first { client.state == .connected(server: "127.0.0.1:\($0.port)") })
        let second = try #require(servers.first { $0 !== first })
        first.kill()
        try await eventually { client.state == .connected(server: "127.0.0.1:\(second.port)") }
        try first.start()
        second.kill()
        try await eventually { client.state == .connected(server: "127.0.0.1:\(first.port)") }
    }

    @Test func `a server that is stopped counts as lost`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let log = try await client.log()
        server.signal(SIGSTOP)
        try await eventually { client.failure != nil }
        #expect(await log.boundsOnce() == .failure(.unreachable))
        server.signal(SIGCONT)
        try await eventually { client.isConnected }
        #expect(try await log.append("a", after: 0) == .stored(1))
    }
}
#endif
