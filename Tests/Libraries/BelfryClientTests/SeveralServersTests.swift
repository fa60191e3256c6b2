import EventLoops
import Synchronization
import Testing
import WireProtocol

@testable import BelfryClient

/// A client that knows several servers, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct SeveralServersTests {
    private func configuration(_ urls: [String]) -> BelfryClient.Configuration {
        var configuration = BelfryClient.Configuration(urls: urls) { "t" }
        configuration.backoff = Backoff(minimum: .milliseconds(10), maximum: .milliseconds(50))
        // Other tests occupy the processors for seconds.
        configuration.commandTimeout = .seconds(300)
        configuration.connectTimeout = .seconds(300)
        return configuration
    }

    /// A server that accepts everyone into `general`.
    private func accepting(_ acts: [TestServer.Act] = [], epoch: String = "e") throws -> TestServer {
        try TestServer { _, envelope in
            guard case .connect(let request) = envelope.command else { return [] }
            let since = request.positions[general]
            let recovered = since?.epoch == epoch
            let result = SubscribeResult(
                position: RoomPosition(offset: since?.offset ?? 4, epoch: epoch), wasRecovering: since != nil,
                recovered: recovered)
            return [.send([accepted(envelope, [(general, result)])])] + acts
        }
    }

    /// A URL at which nobody listens.
    private func deadURL() throws -> String {
        let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 1, reusePort: false)
        let port = try #require(Sockets.localAddress(of: listener.rawValue)?.port)
        listener.close()
        return "ws://127.0.0.1:\(port)/"
    }

    /// Collects the URLs of the attempts.
    private final class Attempts: Sendable {
        private let urls = Mutex<[String]>([])
        var all: [String] { urls.withLock { $0 } }
        func append(_ url: String) { urls.withLock { $0.append(url) } }
    }

    private func firstConnected(_ client: BelfryClient) async -> ConnectedInfo? {
        for await state in client.states { if case .connected(let info) = state { return info } }
        return nil
    }

    @Test func `addresses are tried in order until one accepts, and the state says which`() async throws {
        let server = try accepting()
        defer { server.stop() }
        let (first, second) = (try deadURL(), try deadURL())
        let attempts = Attempts()
        var configuration = configuration([first, second, server.url])
        configuration.onAttempt = { attempts.append($0) }
        let client = try BelfryClient(configuration) { $0 }
        client.connect()
        try await client.connected()
        #expect(attempts.all == [first, second, server.url])
        #expect(await firstConnected(client)?.url == server.url)
    }

    /// Returns the first two subscriptions of a client whose first server ends the connection.
    private func subscriptions(_ ending: TestServer, _ other: TestServer) async throws -> [ClientEvent] {
        let client = try BelfryClient(configuration([ending.url, other.url])) { $0 }
        let events = client.events
        client.connect()
        var subscribed: [ClientEvent] = []
        for await event in events {
            subscribed.append(event)
            if subscribed.count == 2 { break }
        }
        #expect(await firstConnected(client)?.url == other.url)
        return subscribed
    }

    @Test func `a client of a server that shuts down recovers its rooms at another one`() async throws {
        let (ending, other) = (try accepting([.close(3001)]), try accepting())
        defer {
            ending.stop()
            other.stop()
        }
        let room = try #require(Room(name: general))
        #expect(
            try await subscriptions(ending, other) == [
                .subscribed(room, recovered: false, wasRecovering: false),
                .subscribed(room, recovered: true, wasRecovering: true),
            ])
    }

    @Test func `a server with another epoch does not recover the room`() async throws {
        let (ending, other) = (try accepting([.cut]), try accepting(epoch: "f"))
        defer {
            ending.stop()
            other.stop()
        }
        let room = try #require(Room(name: general))
        #expect(
            try await subscriptions(ending, other) == [
                .subscribed(room, recovered: false, wasRecovering: false),
                .subscribed(room, recovered: false, wasRecovering: true),
            ])
    }

    @Test func `a permanent close by one server is final, although others are known`() async throws {
        let (refusing, other) = (try accepting([.close(3500)]), try accepting())
        defer {
            refusing.stop()
            other.stop()
        }
        let attempts = Attempts()
        var configuration = configuration([refusing.url, other.url])
        configuration.onAttempt = { attempts.append($0) }
        let client = try BelfryClient(configuration) { $0 }
        client.connect()
        for await state in client.states {
            guard case .disconnected(let reason) = state, reason != .client else { continue }
            #expect(reason == .closed(code: 3500, reason: ""))
            break
        }
        #expect(attempts.all == [refusing.url])
    }

    @Test func `a server that accepts connections but never answers is left after the connect timeout`() async throws {
        let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 16, reusePort: false)
        let port = try #require(Sockets.localAddress(of: listener.rawValue)?.port)
        let server = try accepting()
        defer { server.stop() }
        var configuration = configuration(["ws://127.0.0.1:\(port)/", server.url])
        configuration.connectTimeout = .milliseconds(500)
        let client = try BelfryClient(configuration) { $0 }
        client.connect()
        #expect(await firstConnected(client)?.url == server.url)
        listener.close()
    }
}
