import FoundationEssentials

/// The events of a client, for one consumer. It ends with the client.
///
/// Events are kept from the moment `events` is first asked for. When the consumer lags by 4,096 of them (setting), the
/// client stops reading its socket until it has caught up, so calls made meanwhile get no answer either: a consumer that
/// calls the server does so from another task.
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
    /// - Returns: Nil for a room whose name is none; a server that sends one speaks of things we do not know.
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
