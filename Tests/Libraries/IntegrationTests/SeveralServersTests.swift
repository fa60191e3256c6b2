import Belfry
import BelfryClient
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
        let texts = try await second.server.call(ListMessages(channelID: general), as: .user("ann")).messages.map(
            \.text)
        #expect(texts == ["second"])

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
}
