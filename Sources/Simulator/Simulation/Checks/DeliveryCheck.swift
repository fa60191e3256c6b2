import ChatDomain
import ChatModel
import FoundationEssentials
import WireProtocol

/// Checks that clients receive only durable events, without gaps and identical for every client, and that recovery
/// returns exactly the missed ones.
struct DeliveryCheck: Check {
    private struct Subscription: Hashable {
        let client: Int
        let room: Room
    }

    private let forgetsEvents: Bool
    /// Whether a user was deleted, or old messages were removed, so that rooms forget events.
    private var hasErased = false
    private var book = RoomBook()
    private var durable: UInt64 = 0
    /// The last durable frame when the server wrote the bytes that a client is reading.
    private var sentAt: [Int: UInt64] = [:]
    /// The position of each subscribed client.
    private var subscriptions: [Subscription: RoomPosition] = [:]
    /// The last position of each client, from which the client recovers.
    private var lastPositions: [Subscription: RoomPosition] = [:]
    /// The offset up to which a recovering client may still receive older events, because a long recovery continues in
    /// pushes after the reply.
    private var recoveries: [Subscription: UInt64] = [:]
    /// The event received at each offset, by any client at any time.
    private var received: [RoomBook.Life: [UInt64: [UInt8]]] = [:]
    /// The tombstones received at each offset: events whose message had been deleted before they were sent.
    private var tombstones: [RoomBook.Life: [UInt64: [UInt8]]] = [:]

    init(forgetsEvents: Bool) { self.forgetsEvents = forgetsEvents }

    private var reads = LocalReads()

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        reads.observe(moment)
        switch moment {
        case .began(let frames, _, _):
            book = try RoomBook(frames)
            durable = UInt64(frames.count)
            hasErased = frames.contains { $0.records.contains { $0.event.makesRoomsForget } }
            sentAt = [:]
            try compareWithEarlier()
        case .appended(let frame):
            try book.apply(frame)
            hasErased = hasErased || frame.records.contains { $0.event.makesRoomsForget }
        case .synced(let sequence): durable = sequence
        case .inputSent(let client, let frame): sentAt[client] = frame
        case .subscribed(let client, let user, let room, let position, let recovery):
            try subscribe(client, user, room, position, recovery)
        case .eventReceived(let client, let room, let event):
            guard let position = subscriptions[Subscription(client: client, room: room)] else {
                throw Broken(
                    .contiguousSlices,
                    "client \(client) received \(event.offset) of \(room) without being subscribed")
            }
            guard event.offset == position.offset + 1 else {
                throw Broken(
                    .contiguousSlices, "client \(client) received \(event.offset) of \(room) after \(position.offset)")
            }
            let recoveredUpTo = recoveries[Subscription(client: client, room: room)] ?? 0
            try receive(
                event, by: client, of: RoomBook.Life(room: room, epoch: position.epoch),
                event.offset <= recoveredUpTo ? .push : .live)
            let place = RoomPosition(offset: event.offset, epoch: position.epoch)
            subscriptions[Subscription(client: client, room: room)] = place
            lastPositions[Subscription(client: client, room: room)] = place
        case .unsubscribed(let client, let room): subscriptions[Subscription(client: client, room: room)] = nil
        case .disconnected(let client): subscriptions = subscriptions.filter { $0.key.client != client }
        case .quiet: try checkComplete()
        case .ended: subscriptions = [:]
        case .startFailed, .refused, .failed, .compacted, .compactionFailed, .erased, .asked, .answered, .line,
            .protocolViolated, .reported, .foundDamaged, .backendCommanded, .backendAnswered, .tokenPresented,
            .tokenAccepted, .cluster:
            break
        }
    }

    private mutating func subscribe(
        _ client: Int, _ user: UserID, _ room: Room, _ position: RoomPosition, _ recovery: History.Recovery
    ) throws(Broken) {
        let life = RoomBook.Life(room: room, epoch: position.epoch)
        let key = Subscription(client: client, room: room)
        switch recovery {
        case .notAsked: break
        case .recovered(let from, _) where lastPositions[key] != from,
            .impossible(let from) where lastPositions[key] != from:
            throw Broken(
                .contiguousSlices,
                "client \(client) recovers \(room) from \(from.offset), but its last position was "
                    + "\(lastPositions[key]?.offset ?? 0)")
        case .recovered(let from, let events):
            guard from.epoch == position.epoch else {
                throw Broken(.recovery, "\(room) was recovered across two epochs")
            }
            // Events before a membership, or between two memberships, must not be recovered (`CH9`).
            guard from.offset + 1 >= book.beginning(of: user, in: life, at: position.offset) else {
                throw Broken(.recovery, "client \(client) recovered events of \(room) from before its user joined")
            }
            var next = from.offset
            for event in events {
                next += 1
                guard event.offset == next else {
                    throw Broken(.recovery, "client \(client) recovered \(event.offset) of \(room), expected \(next)")
                }
                try receive(event, by: client, of: life, .reply(upTo: position.offset))
            }
            guard next == position.offset else {
                throw Broken(
                    .recovery,
                    "client \(client) recovered \(room) from \(from.offset) to \(next), but its position is "
                        + "\(position.offset)")
            }
        case .impossible(let from):
            let isJustified =
                forgetsEvents || hasErased || reads.isLocal(client) || from.epoch != book.epochs[room]
                || from.offset + 1 < book.beginning(of: user, in: life, at: position.offset)
            guard isJustified else {
                throw Broken(
                    .recovery,
                    "client \(client) was refused recovery of \(room) from \(from.offset) to \(position.offset)")
            }
        }
        if position.offset > 0 { try checkDurable(position.offset, by: client, of: life) }
        subscriptions[key] = position
        lastPositions[key] = position
        if case .recovered = recovery { recoveries[key] = book.top(life) } else { recoveries[key] = nil }
    }

    /// How an event reaches a client.
    private enum DeliveryPath {
        /// Live.
        case live
        /// In the reply to a recovery, which ends at an offset.
        case reply(upTo: UInt64)
        /// In a push after that reply, if the recovery is too long for the reply.
        case push
    }

    private mutating func receive(
        _ event: History.ReceivedEvent, by client: Int, of life: RoomBook.Life, _ path: DeliveryPath
    ) throws(Broken) {
        try checkDurable(event.offset, by: client, of: life)
        if try checkTombstone(event, of: life, path) { return }
        try checkQuote(event, of: life, path)
        if let earlier = received[life]?[event.offset] {
            guard earlier == event.data || differInQuote(earlier, event.data, of: life) else {
                throw Broken(.denseOffsets, "\(event.offset) of \(life.room) was received as two different events")
            }
        } else {
            received[life, default: [:]][event.offset] = event.data
        }
    }

    /// Checks that deleted content is not recovered. The event arrives at its offset with a tombstone instead of the
    /// message. Content deleted after the offset at which the recovery ends is still present. The rest of the event
    /// must be unchanged.
    ///
    /// - Returns: Whether the event is a tombstone.
    private mutating func checkTombstone(
        _ event: History.ReceivedEvent, of life: RoomBook.Life, _ path: DeliveryPath
    ) throws(Broken) -> Bool {
        let decoded =
            Self.contains(event.data, "\"deleted_at\":")
            ? try? JSONDecoder().decode(TypedEvent.self, from: Data(event.data)) : nil
        let isTombstone = decoded?.message?.deletedAt != nil
        guard let record = book.entry(event.offset, of: life)?.record, let held = record.event.message,
            let deletion = book.deletion(of: held, in: life)
        else {
            guard !isTombstone else {
                throw Broken(.recovery, "\(event.offset) of \(life.room) is a tombstone, but nothing was deleted")
            }
            return false
        }
        switch path {
        case .reply(let top) where !isTombstone && deletion.offset <= top:
            throw Broken(.recovery, "\(event.offset) of \(life.room) was recovered with its deleted content")
        // A live event is never a tombstone, because deletion has its own event.
        case .live where isTombstone:
            throw Broken(.recovery, "\(event.offset) of \(life.room) is a tombstone, but was delivered live")
        // In replies and pushes, a tombstone may precede the deletion that caused it.
        case .reply, .live, .push: break
        }
        guard isTombstone else { return false }
        guard let decoded, let message = decoded.message, message.id == held, message.deletedAt == deletion.at,
            deletion.sequence <= durable, decoded.at == record.at, decoded.by == record.by,
            message
                == Message(
                    id: held, channelID: message.channelID, kind: message.kind, text: nil, user: message.user,
                    createdAt: message.createdAt, deletedAt: deletion.at, parentMessageID: message.parentMessageID,
                    replyToChannel: message.replyToChannel, offset: message.offset)
        else {
            throw Broken(
                .recovery,
                "\(event.offset) of \(life.room) was recovered as a tombstone that does not match its message")
        }
        if let earlier = tombstones[life]?[event.offset], earlier != event.data {
            throw Broken(.denseOffsets, "\(event.offset) of \(life.room) was received as two different tombstones")
        }
        tombstones[life, default: [:]][event.offset] = event.data
        guard let live = received[life]?[event.offset] else { return true }
        guard var expected = try? JSONDecoder().decode(TypedEvent.self, from: Data(live)),
            let original = expected.message, original.kind == message.kind, original.user == message.user,
            original.offset == message.offset, original.createdAt == message.createdAt,
            original.parentMessageID == message.parentMessageID, original.replyToChannel == message.replyToChannel
        else { throw Broken(.denseOffsets, "\(event.offset) of \(life.room) is a tombstone of another message") }
        expected.message = message
        guard expected == decoded else {
            throw Broken(.denseOffsets, "\(event.offset) of \(life.room) changed in more than its message's content")
        }
        return true
    }

    /// Checks that a recovered reply does not quote a parent that was deleted before the recovery ends. Such a parent has
    /// ended by itself, because nobody can delete a message with replies.
    private func checkQuote(
        _ event: History.ReceivedEvent, of life: RoomBook.Life, _ path: DeliveryPath
    ) throws(Broken) {
        guard case .reply(let top) = path, Self.contains(event.data, "\"state\":\"ok\""),
            let parent = Self.decoded(event.data)?.message?.parent, parent.state == .ok,
            let deletion = book.deletion(of: parent.id, in: life), deletion.offset <= top
        else { return }
        throw Broken(.recovery, "\(event.offset) of \(life.room) was recovered with the quote of a deleted message")
    }

    /// Returns whether two forms of an event differ only in the quote of a message that was deleted in between.
    private func differInQuote(_ one: [UInt8], _ other: [UInt8], of life: RoomBook.Life) -> Bool {
        guard let one = Self.decoded(one), let other = Self.decoded(other), let parent = one.message?.parent?.id,
            book.deletion(of: parent, in: life) != nil
        else { return false }
        func withoutQuote(_ event: TypedEvent) -> TypedEvent {
            var event = event
            event.message?.parent = MessageParent(id: parent, state: .notFound)
            return event
        }
        return withoutQuote(one) == withoutQuote(other)
    }

    private static func decoded(_ data: [UInt8]) -> TypedEvent? {
        try? JSONDecoder().decode(TypedEvent.self, from: Data(data))
    }

    private static func contains(_ data: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        return data.indices.dropLast(text.count).contains { start in
            data[start] == text[0] && data[start..<start + text.count].elementsEqual(text)
        }
    }

    private func checkDurable(_ offset: UInt64, by client: Int, of life: RoomBook.Life) throws(Broken) {
        guard let entry = book.entry(offset, of: life) else {
            throw Broken(.durableFirst, "\(offset) of \(life.room) was received but is in no journal frame")
        }
        guard entry.sequence <= min(durable, sentAt[client] ?? durable) else {
            throw Broken(
                .durableFirst,
                "\(offset) of \(life.room), frame \(entry.sequence), was delivered before it was durable")
        }
    }

    /// Checks that events received before a crash still exist after it.
    private func compareWithEarlier() throws(Broken) {
        for (life, events) in received.sorted(by: { $0.key.room.name < $1.key.room.name }) {
            guard let last = events.keys.max(), last > book.top(life) else { continue }
            throw Broken(.nothingLost, "\(last) of \(life.room) was received but no longer exists")
        }
    }

    /// Checks that every client has received everything at a quiet moment.
    private func checkComplete() throws(Broken) {
        for (key, position) in subscriptions.sorted(by: {
            ($0.key.client, $0.key.room.name) < ($1.key.client, $1.key.room.name)
        }) {
            let top = book.top(RoomBook.Life(room: key.room, epoch: position.epoch))
            guard position.offset == top else {
                throw Broken(
                    .contiguousSlices,
                    "client \(key.client) has received \(key.room) only up to \(position.offset) of \(top)")
            }
        }
    }
}

extension Event {
    fileprivate var makesRoomsForget: Bool {
        switch self {
        case .userForgotten, .historyTrimmed: true
        default: false
        }
    }

    /// The message whose content the event carries.
    fileprivate var message: MessageID? {
        switch self {
        case .messageSent(let sent): sent.id
        case .messageUpdated(let updated): updated.id
        default: nil
        }
    }
}
