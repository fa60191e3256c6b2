import Belfry
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// The Swift blocks of the README and the articles, as they stand there: that they compile, and where they end, run.
@Suite struct ExampleTests {
    /// README, "Embedding it".
    @Test func `a server is embedded in four lines`() async throws {
        let secret = "a secret of at least thirty-two bytes"
        let folder = NSTemporaryDirectory() + "belfry-example-" + UUID().uuidString
        var configuration = Configuration(tokenSecret: secret)
        configuration.port = 0
        configuration.dataFolder = folder
        let server = try await Server(configuration, logger: Logger(label: "belfry"))
        #expect(server.address.port > 0)
        await server.stop()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Belfry.md, "Overview".
    @Test func `a server runs in a service group until it is told to stop`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-example-" + UUID().uuidString
        var configuration = Configuration(
            tokenSecret: "a secret of at least thirty-two bytes", apiKey: "sixteen bytes or more")
        configuration.port = 0
        configuration.dataFolder = folder
        let server = try await Server(configuration, logger: Logger(label: "belfry"))
        let group = ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "group"))
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        try FileManager.default.removeItem(atPath: folder)
    }
}
