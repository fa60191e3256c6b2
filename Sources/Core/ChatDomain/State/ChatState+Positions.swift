import ChatModel

/// The offsets of events in their rooms.
extension ChatState {
    /// Assigns each event its positions in its rooms, as if the events happened now, in order.
    package func records(of events: [Event], in context: Context) -> [Record] {
        var tops: [Room: UInt64] = [:]
        return events.map { event in
            let rooms = event.rooms
            let positions = rooms.map { room in
                let offset = (tops[room] ?? top(of: room)) + 1
                // Most commands produce one event in one room.
                if events.count > 1 || rooms.count > 1 { tops[room] = offset }
                return RoomOffset(room: room, offset: offset)
            }
            return Record(event: event, at: context.now, by: context.caller.user, positions: positions)
        }
    }

    /// Returns whether a record's positions are the next ones in their rooms, so that it can be applied.
    ///
    /// Always true for records returned by `records(of:in:)` for this state; false reveals a tampered log.
    package func expects(_ record: Record) -> Bool {
        if record.positions.count == 1, let position = record.positions.first { return expects(position, record, 1) }
        var added: [Room: UInt64] = [:]
        for position in record.positions {
            added[position.room, default: 0] += 1
            guard expects(position, record, added[position.room, default: 0]) else { return false }
        }
        return true
    }

    /// - Parameter count: The number of the record's positions in this room, up to and including this one.
    private func expects(_ position: RoomOffset, _ record: Record, _ count: UInt64) -> Bool {
        // A new channel may reuse the id of a deleted one, starting at 1.
        let top = if case .channelCreated = record.event { UInt64(0) } else { top(of: position.room) }
        return position.offset == top + count
    }

    /// Returns the offset of a room's last event; 0 for a room without events.
    private func top(of room: Room) -> UInt64 {
        switch room {
        case .channel(let id): channels[id]?.top ?? 0
        case .inbox(let user): users[user]?.inboxTop ?? 0
        }
    }
}
