import ChatModel
import WireProtocol

/// A client's subscriptions.
extension SimulatedClient {
    /// Processes the reply to `subscribe`, or a room's part of the reply to `connect`.
    ///
    /// - Parameter from: The client's position when it asked.
    /// - Returns: False for a malformed reply.
    func applySubscription(to room: Room, _ reply: PlainJSON, from: RoomPosition?) -> Bool {
        guard let position = Self.position(in: reply) else { return false }
        var events: [History.ReceivedEvent] = []
        for item in reply["publications"]?.items() ?? [] {
            guard let event = item.members().flatMap(Self.receivedEvent) else { return false }
            events.append(event)
        }
        var recovery = History.Recovery.notAsked
        // If the client has received more of the room since it asked, it cannot use the recovery and reloads instead.
        if reply["was_recovering"]?.isTrue ?? false, let from, from == positions[room] {
            recovery = reply["recovered"]?.isTrue ?? false ? .recovered(from: from, events) : .impossible(from: from)
        }
        addSubscription(to: room, position, recovery)
        return true
    }

    /// - Returns: False for a malformed push.
    func receive(_ push: [(name: String, value: PlainJSON)]) -> Bool {
        guard let name = push["channel"]?.text, let room = Room(name: name) else { return false }
        if let publication = push["pub"]?.members() {
            guard publication["data"]?.bytes.first == 123 else { return false }
            // Transient events have no offset.
            guard publication["offset"] != nil else { return true }
            guard let event = Self.receivedEvent(publication) else { return false }
            positions[room]?.offset = event.offset
            record(.eventReceived(client: index, room, event))
        } else if let subscribed = push["subscribe"] {
            guard let position = Self.position(in: subscribed) else { return false }
            addSubscription(to: room, position, .notAsked)
        } else if push["unsubscribe"] != nil {
            removeSubscription(to: room)
        } else {
            return false
        }
        return true
    }

    private func addSubscription(to room: Room, _ position: RoomPosition, _ recovery: History.Recovery) {
        positions[room] = position
        subscriptions.insert(room)
        record(.subscribed(client: index, user: user, room, position, recovery))
    }

    func removeSubscription(to room: Room) {
        subscriptions.remove(room)
        record(.unsubscribed(client: index, room))
    }

    private static func position(in reply: PlainJSON) -> RoomPosition? {
        guard let offset = reply["offset"]?.number, let epoch = reply["epoch"]?.text else { return nil }
        return RoomPosition(offset: offset, epoch: epoch)
    }

    private static func receivedEvent(_ publication: [(name: String, value: PlainJSON)]) -> History.ReceivedEvent? {
        guard let offset = publication["offset"]?.number, let data = publication["data"] else { return nil }
        return History.ReceivedEvent(offset: offset, data: data.bytes)
    }
}
