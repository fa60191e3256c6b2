import Dispatch
import Foundation
import Logging
import Synchronization
import Testing

@testable import Belfry

/// Tests of stopping a server in which something hangs.
@Suite struct StopTests {
    private final class Lines: Sendable {
        let steps = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.message.description == "a shutdown step timed out: continuing without it" else { return }
            lines.steps.withLock { $0.append(event.metadata?["step"].map { "\($0)" } ?? "") }
        }
    }

    @Test(arguments: [
        ("loop", ["accepting", "connections", "loop"]), ("chat", ["events", "events"]),
        ("journal", ["events", "events", "journal"]), ("nothing", []),
    ])
    func `a server with a hung queue stops anyway, and reports what it did not wait for`(
        queue: String, steps: [String]
    ) async throws {
        let lines = Lines()
        var configuration = Belfry.Configuration(tokenSecret: String(repeating: "s", count: 40))
        configuration.port = 0
        configuration.loopCount = 2
        configuration.dataFolder = NSTemporaryDirectory() + "belfry-stop-" + UUID().uuidString
        configuration.limits.drainMilliseconds = 0
        defer { try? FileManager.default.removeItem(atPath: configuration.dataFolder) }
        let server = try await Server(
            configuration, logger: Logger(label: "test") { _ in Handler(lines: lines) })
        server.start()
        let gate = DispatchSemaphore(value: 0)
        switch queue {
        case "loop": server.loops[1].post { gate.wait() }
        case "chat": server.services.chat.engine.barrier { gate.wait() }
        case "journal": server.services.chat.publisher.barrier { gate.wait() }
        default: break
        }
        await server.stop()
        #expect(lines.steps.withLock(\.self) == steps)
        gate.signal()
    }
}
