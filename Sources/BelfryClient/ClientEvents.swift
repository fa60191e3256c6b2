import FoundationEssentials

/// The events of a client, for a single consumer. The sequence ends with the client.
///
/// Events are kept from the first access of `events`. When 4,096 of them (`undeliveredLimit`) are waiting, the
/// client stops reading its socket until the consumer has caught up. Calls made meanwhile receive no answer
/// either, so a consumer must call the server from another task.
public struct ClientEvents: AsyncSequence, Sendable {
    public typealias Element = ClientEvent
    public typealias Failure = Never

    let mailbox: Mailbox

    public func makeAsyncIterator() -> Iterator { Iterator(mailbox) }

    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: Mailbox
        private var items: AsyncStream<Mailbox.Item>.Iterator
        private let decoder = JSONDecoder()

        init(_ mailbox: Mailbox) {
            self.mailbox = mailbox
            items = mailbox.items.makeAsyncIterator()
        }

        public mutating func next() async -> ClientEvent? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
            while let item = await items.next(isolation: actor) {
                mailbox.took(item)
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
