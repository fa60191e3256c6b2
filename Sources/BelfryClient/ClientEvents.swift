@_exported import ChatModel
import FoundationEssentials

/// A decoded publication of a room.
public struct RoomEvent: Hashable, Sendable {
    /// The room of the publication.
    public let room: Room
    /// The event's number in the room, from 1 without gaps; `nil` for transient events (typing, presence, receipts).
    public let offset: UInt64?
    /// The event itself.
    public let event: TypedEvent
}

/// The client's events, in order.
public enum ClientEvent: Hashable, Sendable {
    /// A decoded publication.
    case event(RoomEvent)
    /// An event whose type this version does not know, as JSON.
    case unknown(room: Room, offset: UInt64?, json: [UInt8])
    /// The room's events follow. If `wasRecovering` is true and `recovered` is false, some events are permanently lost:
    /// reload the room's state.
    case subscribed(Room, recovered: Bool, wasRecovering: Bool)
    /// No more events from the room will follow.
    case unsubscribed(Room)
    /// An offset was skipped. The client reconnects and recovers the missing events.
    case gap(Room, expected: UInt64, received: UInt64)
}

/// The events of a client, for a single consumer. The sequence ends when the client does.
///
/// The client collects events from the first access to `events`. When 4,096 of them (`undeliveredLimit`) are waiting,
/// it stops reading its socket until the consumer has caught up. Meanwhile, calls receive no answers either, so a
/// consumer must call the server from another task.
public struct ClientEvents: AsyncSequence, Sendable {
    /// An event or a change of a subscription.
    public typealias Element = ClientEvent
    /// Errors are reported by `states`, never here.
    public typealias Failure = Never

    let mailbox: Mailbox

    /// The iterator of the only consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox) }

    /// Iterates over the events, for one task.
    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: Mailbox
        private var items: AsyncStream<Mailbox.Item>.Iterator
        private let decoder = JSONDecoder()

        init(_ mailbox: Mailbox) {
            self.mailbox = mailbox
            items = mailbox.items.makeAsyncIterator()
        }

        /// Returns the next event, or nil once the client is gone.
        public mutating func next() async -> ClientEvent? {
            await next(isolation: #isolation)
        }

        /// Returns the next event without leaving the caller's actor, or nil once the client is gone.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
            while let item = await items.next(isolation: actor) {
                mailbox.recordConsumed(item)
                if let event = ClientEvent(item, decoder) { return event }
            }
            return nil
        }
    }
}

extension ClientEvent {
    /// - Returns: Nil for an invalid room name, which a newer server might send.
    init?(_ item: Mailbox.Item, _ decoder: JSONDecoder) {
        switch item {
        case .publication(let name, let offset, let data):
            guard let room = Room(name: name) else { return nil }
            let offset = offset == 0 ? nil : offset
            if let event = try? decoder.decode(TypedEvent.self, from: Data(data)) {
                self = .event(RoomEvent(room: room, offset: offset, event: event))
            } else {
                self = .unknown(room: room, offset: offset, json: data)
            }
        case .subscribed(let name, let recovered, let wasRecovering):
            guard let room = Room(name: name) else { return nil }
            self = .subscribed(room, recovered: recovered, wasRecovering: wasRecovering)
        case .unsubscribed(let name):
            guard let room = Room(name: name) else { return nil }
            self = .unsubscribed(room)
        case .gap(let name, let expected, let received):
            guard let room = Room(name: name) else { return nil }
            self = .gap(room, expected: expected, received: received)
        }
    }
}
