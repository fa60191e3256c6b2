#if Cluster
import Foundation
import LiveServers
import Replication
import Testing

@testable import NATS

/// Servers that die while messages are appended: none is lost or doubled.
@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct FaultTests {
    @Test func `an append that waits in a killed server is stored once when repeated`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let log = try await client.log()
        #expect(try await log.append("a", after: 0) == .stored(1))
        server.signal(SIGSTOP)
        async let waiting = log.appendOnce("b", after: 1)
        server.kill()
        try server.start()
        #expect([.unknown, .stored(2)].contains(await waiting))
        #expect(try await log.append("b", after: 1) == .stored(2))
        #expect(try await log.append("c", after: 2) == .stored(3))
        #expect(try await log.texts() == ["a", "b", "c"])
    }

    @Test func `appends go on after each restart of the server`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let log = try await client.log()
        let texts = (1...300).map { "\($0)" }
        async let numbers = appendAll(texts, to: log)
        for share in 1...3 {
            try await eventually { try await log.bounds().get().last >= UInt64(75 * share) }
            server.kill()
            try server.start()
        }
        #expect(try await numbers == Array(1...300))
        #expect(try await log.texts() == texts)
    }

    @Test func `appends go on when the leader of three servers is killed`() async throws {
        let servers = try NATSServer.cluster()
        let client = try Client(servers)
        let log = try await client.log(replicas: 3)
        let texts = (1...300).map { "\($0)" }
        async let numbers = appendAll(texts, to: log)
        try await eventually { try await log.bounds().get().last >= 100 }
        let leader = try #require(await leader(of: "belfry-test-1", client))
        servers[leader].kill()
        #expect(try await numbers == Array(1...300))
        #expect(try await log.texts() == texts)
        try servers[leader].start()
        #expect(try await log.append("301", after: 300) == .stored(301))
        #expect(try await log.texts(from: 300) == ["300", "301"])
    }

    /// Returns the index of the server that leads a stream.
    private func leader(of stream: String, _ client: Client) async -> Int? {
        struct Information: Decodable {
            struct Cluster: Decodable { let leader: String }
            let cluster: Cluster
        }
        let bytes: [UInt8] = await result { done in
            let question = NATSPublication(subject: "$JS.API.STREAM.INFO.\(stream)", bytes: [])
            client.connection.request(question, milliseconds: 60_000) { reply in
                if case .message(let message) = reply { done(message.bytes) } else { done([]) }
                return false
            }
        }
        return (try? JSONDecoder().decode(Information.self, from: Data(bytes))).flatMap { Int($0.cluster.leader) }
    }

    /// Appends each message after the one before it.
    ///
    /// - Returns: The numbers under which they are stored.
    private func appendAll(_ texts: [String], to log: JetStreamStore) async throws -> [UInt64] {
        var numbers: [UInt64] = []
        for (last, text) in texts.enumerated() {
            guard case .stored(let number) = try await log.append(text, after: UInt64(last)) else { break }
            numbers.append(number)
        }
        return numbers
    }
}
#endif
