import ChatEngine
import ChatModel
import WireProtocol

/// One event that is on the disk.
public struct DurableEvent: Sendable {
    /// Where an event stands among all of the server. Ordered as the events are; as a text, to be kept between two runs.
    public struct Position: Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
        let journal: TappedEvent.Position

        init(_ journal: TappedEvent.Position) { self.journal = journal }

        /// - Returns: Nil for a text that no position has.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let frame = UInt64(parts[0]), let index = UInt32(parts[1]) else { return nil }
            journal = TappedEvent.Position(frame: frame, index: index)
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let position = Position(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no position of an event")
            }
            self = position
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }

        /// `frame.index`
        public var description: String { "\(journal.frame).\(journal.index)" }
        public static func < (a: Self, b: Self) -> Bool { a.journal < b.journal }
    }

    public let position: Position
    /// The first of the rooms that hear the event: a channel's id, or `#` and a user's. See `RoomPosition`.
    public let room: Room
    /// Its place there, from 1.
    public let offset: UInt64
    public let type: EventType
    /// Milliseconds since 1970.
    public let at: Int64
    /// The event as members hear it, in full: the `data` of a push.
    public let json: [UInt8]

    init(_ event: TappedEvent) {
        position = Position(event.position)
        room = event.room
        offset = event.offset
        type = event.type
        at = event.at
        json = event.json
    }

    /// The event as a value.
    public func decoded() throws -> TypedEvent {
        try WireDecoder().decode(TypedEvent.self, from: try JSONFields(json))
    }
}

/// Every durable event from some position on, in the order of the journal.
///
/// Ends when the server has stopped in order; throws ``DurableEventsError`` otherwise, behind the last event that it told:
/// none is passed over in silence.
public struct DurableEvents: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: EventSubscription

        public func next() async throws -> DurableEvent? {
            do {
                return try await subscription.listener.next().map(DurableEvent.init)
            } catch let end as EventListener.End {
                throw DurableEventsError(end)
            }
        }
    }

    let subscription: EventSubscription

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}

/// Why events cannot be heard, or not any longer.
public enum DurableEventsError: Error, Equatable, Sendable {
    /// As many listen as may.
    case tooManyListeners
    /// What follows the position is not kept any more, or the position is of another data folder: read the state anew.
    case positionLost
    /// More happened than may wait for one listener: take up at the position of the last event that came.
    case tooSlow
    /// The disk refuses; the server ends.
    case storageFailed
    /// Two tasks asked for the next event at the same time.
    case usedTwice

    init(_ end: EventListener.End) {
        switch end {
        case .tooSlow: self = .tooSlow
        case .usedTwice: self = .usedTwice
        case .storageFailed, .stopped: self = .storageFailed
        }
    }
}

extension Configuration {
    /// What hearing events inside the process may cost.
    public struct Events: Sendable, Equatable {
        /// The latest events that are kept in memory for listeners who come with a position, also over a restart; none
        /// unless it is said. Of those before a restart no more are there than `journal.recoverable_frames` covers.
        public var kept = 0
        /// Bytes of them.
        public var keptBytes = 16_777_216
        /// Events that may wait for one listener, and their bytes.
        public var waiting = 10_000
        public var waitingBytes = 16_777_216
        public var listeners = 16
        public init() {}

        func limits() throws(ConfigurationError) -> EventTap.Limits {
            guard kept >= 0, keptBytes >= 0, waiting > 0, waitingBytes > 0, listeners >= 0 else {
                throw ConfigurationError("events: waiting and waitingBytes must be at least 1, the others at least 0")
            }
            var limits = EventTap.Limits()
            limits.keptEvents = kept
            limits.keptBytes = keptBytes
            limits.waitingEvents = min(waiting, .max / 2)
            limits.waitingBytes = min(waitingBytes, .max / 2)
            limits.listeners = listeners
            return limits
        }
    }
}

extension Server {
    /// All durable events of all rooms.
    ///
    /// - Parameter position: Of the last event that was dealt with, also before a restart: what followed comes first. Nil
    ///   for what happens from now on.
    /// - Throws: `.tooManyListeners`, and `.positionLost` when not all that followed is kept (see `Configuration.Events`).
    public func events(from position: DurableEvent.Position? = nil) throws(DurableEventsError) -> DurableEvents {
        do throws(EventTap.Refusal) {
            return DurableEvents(subscription: try tap.listen(from: position?.journal))
        } catch {
            switch error {
            case .tooManyListeners: throw .tooManyListeners
            case .positionLost: throw .positionLost
            }
        }
    }
}
