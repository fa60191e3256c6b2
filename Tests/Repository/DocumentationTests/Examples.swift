import Belfry
import BelfryClient
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// The Swift blocks of the README and the articles, unchanged: they must compile, and those that end must run.
@Suite struct ExampleTests {
    /// README, "Embedding".
    @Test func `a server is embedded in four lines`() async throws {
        let secret = "a secret of at least thirty-two bytes"
        let folder = NSTemporaryDirectory() + "belfry-example-" + UUID().uuidString
        var configuration = Configuration(tokenSecret: secret)
        configuration.port = 0
        configuration.dataFolder = folder
        let server = try await Server(configuration, logger: Logger(label: "belfry"))
        print("chat on port \(server.address.port)")
        #expect(server.address.port > 0)
        let running = Task {
            try await server.run()
        }
        running.cancel()
        try await running.value
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Belfry.md, "Overview".
    @Test func `a server runs in a service group until it is stopped`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-example-" + UUID().uuidString
        var configuration = Configuration(
            tokenSecret: "a secret of at least thirty-two bytes", apiKey: "sixteen bytes or more")
        configuration.port = 0
        configuration.dataFolder = folder
        let server = try await Server(configuration, logger: Logger(label: "belfry"))
        let group = ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "group"))
        let running = Task {
            try await group.run()
        }
        await group.triggerGracefulShutdown()
        try await running.value
        try FileManager.default.removeItem(atPath: folder)
    }

    /// SwiftClients.md, "BelfryClient".
    @Test(.timeLimit(.minutes(5)))
    func `a Swift client shows earlier messages, receives new ones, and sends one`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-example-" + UUID().uuidString
        var configuration = Configuration(tokenSecret: "a secret of at least thirty-two bytes")
        configuration.port = 0
        configuration.dataFolder = folder
        let server = try await Server(configuration, logger: Logger(label: "belfry"))
        let running = Task { try await server.run() }
        let ann = try #require(UserID("ann"))
        let general = try #require(ChannelID("general"))
        _ = try await server.call(CreateChannel(id: general), as: .user("ann"))
        _ = try await server.call(SendMessage(channelID: general, text: "was here before"), as: .user("ann"))
        let conversation = try Conversation(
            url: "ws://127.0.0.1:\(server.address.port)/connection/websocket", channel: general
        ) {
            try await server.call(CreateToken(userID: ann), as: .server).token
        }
        let (shown, show) = AsyncStream<Message>.makeStream()
        let listening = Task { await conversation.listen { show.yield($0) } }
        var messages = shown.makeAsyncIterator()
        #expect(await messages.next()?.text == "was here before")
        let sent = try await conversation.send("hello from Swift")
        #expect(await messages.next()?.id == sent.id)
        listening.cancel()
        await listening.value
        conversation.client.disconnect()
        running.cancel()
        try await running.value
        try FileManager.default.removeItem(atPath: folder)
    }
}
