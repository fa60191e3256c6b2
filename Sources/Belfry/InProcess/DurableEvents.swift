import ChatEngine
import ChatModel
import WireProtocol

/// A durable event.
public struct DurableEvent: Sendable {
    /// The event's position in the server's total order. Store its text form to continue after a restart.
    public struct Position: Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
        let journal: JournalPosition

        init(_ journal: JournalPosition) { self.journal = journal }

        /// Parses the text form.
        ///
        /// - Returns: Nil for invalid text.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let frame = UInt64(parts[0]), let index = UInt32(parts[1]) else { return nil }
            journal = JournalPosition(frame: frame, index: index)
        }

        /// Decodes the text form.
        ///
        /// - Throws: `DecodingError` for invalid text.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let position = Position(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no position of an event")
            }
            self = position
        }

        /// Encodes the text form.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }

        /// The text form, `frame.index`.
        public var description: String { "\(journal.frame).\(journal.index)" }
        /// Compares by journal order.
        public static func < (a: Self, b: Self) -> Bool { a.journal < b.journal }
    }

    /// The event's position in the total order, to continue from.
    public let position: Position
    /// The first of the event's rooms: a channel id, or `#` and a user id. See `RoomPosition`.
    public let room: Room
    /// The event's offset in that room, starting at 1.
    public let offset: UInt64
    /// The event's type.
    public let type: EventType
    /// The time of the event, in milliseconds since 1970.
    public let at: Int64
    /// The full event as members receive it: the `data` of a push.
    public let json: [UInt8]

    init(_ event: TappedEvent) {
        position = Position(event.position)
        room = event.room
        offset = event.offset
        type = event.type
        at = event.at
        json = event.json
    }

    /// Decodes the event.
    ///
    /// - Throws: When this version cannot decode the event.
    public func decoded() throws -> TypedEvent {
        try WireDecoder().decode(TypedEvent.self, from: try JSONFields(json))
    }
}

/// All durable events after a given position, in journal order.
///
/// The sequence ends when the server shuts down cleanly. Otherwise it throws ``DurableEventsError`` after the last
/// event delivered, so gaps are never silent.
public struct DurableEvents: AsyncSequence, Sendable {
    /// Iterates over the events, for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: EventSubscription

        /// Waits for the next event and returns it.
        ///
        /// - Returns: Nil when the server has shut down cleanly.
        /// - Throws: ``DurableEventsError``.
        public func next() async throws -> DurableEvent? {
            do {
                return try await subscription.listener.next().map(DurableEvent.init)
            } catch let end as EventListener.End {
                throw DurableEventsError(end)
            }
        }
    }

    let subscription: EventSubscription

    /// Makes an iterator. All iterators share the events, so each event is delivered once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}

/// The reason events are unavailable.
public enum DurableEventsError: Error, Equatable, Sendable {
    /// The maximum number of listeners is reached.
    case tooManyListeners
    /// Events after the position are no longer available, or the position belongs to another data folder: reload the
    /// state.
    case positionLost
    /// The listener's backlog exceeded its limit: resume from the position of the last event received.
    case tooSlow
    /// The disk failed; the server shuts down.
    case storageFailed
    /// Two tasks requested the next event at the same time.
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
    /// Limits of event listeners inside the process.
    public struct Events: Sendable, Equatable {
        /// The number of recent events kept in memory for listeners that resume from a position, including after a
        /// restart; none by default. After a restart, at most the events covered by `journal.recoverable_frames` are
        /// available.
        public var kept = 0
        /// The maximum size of the kept events in bytes.
        public var keptBytes = 16_777_216
        /// The maximum backlog of one listener in events, at least 1. Beyond it or `waitingBytes`, the listener ends
        /// with `.tooSlow`.
        public var waiting = 10_000
        /// The maximum backlog of one listener in bytes, at least 1.
        public var waitingBytes = 16_777_216
        /// The maximum number of listeners, at least 0.
        public var listeners = 16
        /// Creates the default limits.
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
    /// Returns the durable events of all rooms.
    ///
    /// - Parameter position: The last event you processed, possibly before a restart; the sequence starts after it. Nil
    ///   starts with the next event.
    /// - Throws: `.tooManyListeners`; `.positionLost` when events after the position are no longer available (see
    ///   `Configuration.Events`).
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
