import ChatModel

/// One room of an event, and the event's offset there.
package struct RoomOffset: Equatable, Sendable {
    package let room: Room
    /// 1 is a room's first event; dense and never reused.
    package let offset: UInt64

    package init(room: Room, offset: UInt64) {
        self.room = room
        self.offset = offset
    }
}

/// An event as it is logged: when, by whom, and its positions in its rooms.
package struct Record: Equatable, Sendable {
    package let event: Event
    /// Milliseconds since 1970; never decreases from record to record.
    package let at: Int64
    /// `nil` for the server.
    package let by: UserID?
    /// In the order of `event.rooms`.
    package let positions: [RoomOffset]

    package init(event: Event, at: Int64, by: UserID?, positions: [RoomOffset]) {
        self.event = event
        self.at = at
        self.by = by
        self.positions = positions
    }
}

/// The outcome of a command: events, and possibly a refusal.
///
/// Both together are rare but real: accepting an invitation at the maximum of channels is refused *and* cancels the
/// invitation (`US4`).
package struct Decision: Equatable, Sendable {
    package var events: [Event]
    package var refusal: Rejection?
    /// Sent to connected members and not stored (`CH5`). They come before the effects of the events.
    package var messages: [Message]

    package init(_ events: [Event], refusal: Rejection? = nil, messages: [Message] = []) {
        self.events = events
        self.refusal = refusal
        self.messages = messages
    }
}
