import Belfry
import Logging
import ServiceLifecycle

/// Hears every event that is on the disk, and logs what it is about, not what it says.
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
        // The events end with the server; a service must not end before its turn.
        try? await gracefulShutdown()
    }
}
