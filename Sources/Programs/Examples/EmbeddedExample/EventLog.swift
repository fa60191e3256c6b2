import Belfry
import Logging
import ServiceLifecycle

/// Logs the type and room of every durable event, but not its contents.
struct EventLog: Service {
    let events: DurableEvents
    let logger: Logger

    func run() async throws {
        for try await event in events {
            logger.notice(
                "event",
                metadata: [
                    "type": "\(event.type.rawValue)", "room": "\(event.room)", "position": "\(event.position)",
                ])
        }
        // The events end with the server, but a service must not return before the shutdown.
        try? await gracefulShutdown()
    }
}
