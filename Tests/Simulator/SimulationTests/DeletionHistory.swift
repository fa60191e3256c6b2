import ChatDomain
import ChatModel
import Foundation
import Simulation

/// A history in which deleted content is recovered.
enum DeletionHistory {
    /// A history in which a client recovers content deleted in the meantime, which others received originally.
    static let history = {
        for seed in 1...200 as ClosedRange<UInt64> {
            var options = SimulatorOptions()
            options.eventsPerRoom = 1_000
            options.steps = 150
            let result = Simulator(seed: seed, options: options).run()
            // Some seeds shorten the rings, so a recovery may be refused.
            guard !result.options.forgetsEvents else { continue }
            if (try? tombstone(in: result.history.moments)) != nil { return result.history }
        }
        return History()
    }()

    /// Returns the position of a recovery with a tombstone, the index of that event, and the same event with its
    /// content.
    static func tombstone(
        in moments: [History.Moment]
    ) throws -> (place: Int, index: Int, whole: History.ReceivedEvent) {
        for (place, moment) in moments.enumerated() {
            guard case .subscribed(_, _, let room, _, .recovered(_, let events)) = moment else { continue }
            for (index, event) in events.enumerated() where tells(event, "deleted_at") && tells(event, "message") {
                // The deletion is recovered too. A later one may come too late for the content.
                let told = message(in: event)
                guard events.contains(where: { deletion(in: $0) == told }) else { continue }
                for case .eventReceived(_, room, let heard) in moments[..<place]
                where heard.offset == event.offset && !tells(heard, "deleted_at") && tells(heard, "text") {
                    // Not that of an earlier channel with the same id.
                    if message(in: heard) == told { return (place, index, heard) }
                }
            }
        }
        throw Missing()
    }

    private struct Missing: Error {}

    private static func message(in event: History.ReceivedEvent) -> MessageID? { decoded(event)?.message?.id }

    /// Returns the message that an event deletes.
    private static func deletion(in event: History.ReceivedEvent) -> MessageID? {
        decoded(event).flatMap { $0.type == .messageDeleted ? $0.messageID : nil }
    }

    private static func decoded(_ event: History.ReceivedEvent) -> TypedEvent? {
        try? JSONDecoder().decode(TypedEvent.self, from: Data(event.data))
    }

    static func tells(_ event: History.ReceivedEvent, _ field: String) -> Bool {
        String(decoding: event.data, as: UTF8.self).contains("\"\(field)\":")
    }
}
