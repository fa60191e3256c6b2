#if Cluster
import Dispatch
import LiveServers
import Synchronization
import Testing

@testable import NATS

/// The buffers between a connection to NATS and its queue.
@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct BufferTests {
    private final class Dropped: Sendable {
        private let counts = Mutex<[NATSConnection.Direction: Int]>([:])

        func add(_ direction: NATSConnection.Direction) { counts.withLock { $0[direction, default: 0] += 1 } }

        subscript(_ direction: NATSConnection.Direction) -> Int { counts.withLock { $0[direction] ?? 0 } }
    }

    private final class Received: Sendable {
        let count = Atomic(0)
        let message = Mutex<NATSMessage?>(nil)
    }

    private let server: NATSServer
    private let dropped = Dropped()
    private let connection: NATSConnection

    init() throws {
        server = try NATSServer()
        connection = try Self.connect(server, dropped)
    }

    private static func connect(_ server: NATSServer, _ dropped: Dropped) throws -> NATSConnection {
        NATSConnection(
            try NATSSettings(servers: [server.url], name: "test"), dropped: { dropped.add($0) }, report: { _ in })
    }

    private let large = NATSPublication(subject: "large", bytes: [UInt8](repeating: 1, count: 1_000_000))

    @Test func `messages to send beyond 32 MiB are dropped and counted`() {
        connection.queue.suspend()
        let fitting = (32 << 20) / large.size
        for _ in 0..<fitting { connection.publish(large) }
        #expect(dropped[.sent] == 0)
        for _ in 0..<3 { connection.publish(large) }
        #expect(dropped[.sent] == 3)
        connection.queue.resume()
        connection.close()
    }

    @Test func `received replies beyond 64 MiB are dropped and counted`() async throws {
        let received = Received()
        _ = connection.subscribe("large") { message in received.message.withLock { $0 = message } }
        try await eventually {
            connection.publish(large)
            return received.message.withLock { $0 != nil }
        }
        connection.close()
        let last = received.message.withLock { $0 }
        let message = try #require(last)
        let queue = DispatchQueue(label: "test")
        let mailbox = Mailbox(
            queue: queue, dropped: { dropped.add(.received) },
            receive: { _ in received.count.add(1, ordering: .relaxed) })
        queue.suspend()
        let fitting = (64 << 20) / large.bytes.count
        for _ in 0..<fitting + 3 { mailbox.append(message) }
        #expect(dropped[.received] == 3)
        queue.resume()
        queue.sync {}
        #expect(received.count.load(ordering: .relaxed) == fitting)
    }
}
#endif
