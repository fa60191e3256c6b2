import ChatModel

/// An event's room and its offset there.
package struct RoomOffset: Equatable, Sendable {
    package let room: Room
    /// The offset, counted from 1 without gaps and never reused.
    package let offset: UInt64

    package init(room: Room, offset: UInt64) {
        self.room = room
        self.offset = offset
    }
}

/// An event as written to the log, with its time, author and positions.
package struct Record: Equatable, Sendable {
    package let event: Event
    /// The time in milliseconds since 1970; never decreases from record to record.
    package let at: Int64
    /// The user who caused the event; `nil` for the server.
    package let by: UserID?
    /// The positions, in the order of `event.rooms`.
    package let positions: [RoomOffset]

    package init(event: Event, at: Int64, by: UserID?, positions: [RoomOffset]) {
        self.event = event
        self.at = at
        self.by = by
        self.positions = positions
    }
}

/// The outcome of a command: events, a refusal, or in rare cases both.
///
/// For example, a user at the maximum number of channels who accepts an invitation is refused *and* loses it (`US4`).
package struct Decision: Equatable, Sendable {
    package var events: [Event]
    package var refusal: Rejection?
    /// Messages sent to connected members without being stored (`CH5`). They precede the effects of the events.
    package var messages: [Message]

    package init(_ events: [Event], refusal: Rejection? = nil, messages: [Message] = []) {
        self.events = events
        self.refusal = refusal
        self.messages = messages
    }
}
