import Belfry
import Foundation
import Logging
import Testing

/// Tests of servers in a process that continues afterwards.
@Suite(.serialized) struct LifecycleTests {
    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Regression: the first loop remained, with its descriptors, when listening failed.
    @Test func `a server that cannot listen releases everything`() async throws {
        func fail() async throws {
            await #expect(throws: ConfigurationError.self) {
                _ = try await TestServer { $0.host = "no literal" }
            }
        }
        try await fail()
        let before = try openDescriptors()
        for _ in 0..<600 { try await fail() }
        // Other suites concurrently open and close hundreds of connections, and a loop ends on its own queue. Only a
        // leak persists.
        let deadline = ContinuousClock.now.advanced(by: .seconds(120))
        while try openDescriptors() >= before + 500, .now < deadline { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try openDescriptors() < before + 500)
    }

    /// Regression: the loops owned the chat, which owned the loops, and timers owned its log.
    @Test func `a stopped server is released with its chat and its log`() async throws {
        final class Clock: Sendable {}
        weak var clock: Clock?
        func serve() async throws {
            let ticking = Clock()
            clock = ticking
            let server = try await TestServer { configuration in
                configuration.clock = { [time = configuration.clock] in withExtendedLifetime(ticking) { time() } }
            }
            let ann = try await server.connect("ann")
            _ = try await ann.rpc("channel.create", ["name": "x"])
            await server.stop()
        }
        try await serve()
        // Queues and threads release what they held at the end of their last work.
        let deadline = ContinuousClock.now.advanced(by: .seconds(120))
        while clock != nil, .now < deadline { try await Task.sleep(for: .milliseconds(10)) }
        #expect(clock == nil)
    }

    /// Regression: the second call replaced the first, which then never returned.
    @Test func `a server can be stopped twice concurrently`() async throws {
        let server = try await TestServer()
        let ann = try await server.connect("ann")
        async let first: Void = server.stop()
        async let second: Void = server.stop()
        _ = await (first, second)
        guard case .closed(3001) = try await ann.hear() else {
            Issue.record("not told to come back")
            return
        }
    }

    /// Regression: libraries log their entire configuration, which included the keys of development mode at level
    /// `debug`.
    @Test func `the description of a value that holds keys reveals none of them`() throws {
        struct Holder { let values: [Any] }
        let (secret, key) = (String(repeating: "s", count: 40), String(repeating: "k", count: 40))
        let secrets = try Secrets(
            environment: ["BELFRY_TOKEN_SECRET": secret, "BELFRY_API_KEY": key], developmentFolder: nil)
        let holder = Holder(values: [secrets, Configuration(tokenSecret: secret, apiKey: key)])
        var text = "\(holder)" + String(reflecting: holder)
        dump(holder, to: &text)
        #expect(text.contains("Secrets") && text.contains("Configuration"))
        #expect(!text.contains(secret) && !text.contains(key))
    }
}
