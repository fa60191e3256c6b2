import ChatModel
import WireProtocol

/// An event as it is written down: when, by whom, and where it stands in the rooms it concerns.
package struct Record: Equatable, Sendable {
    package struct Position: Equatable, Sendable {
        package let room: Room
        /// 1 is a room's first event; dense and never reused.
        package let offset: UInt64

        package init(room: Room, offset: UInt64) {
            self.room = room
            self.offset = offset
        }
    }

    package let event: Event
    /// Milliseconds since 1970, never going back from record to record.
    package let at: Int64
    /// `nil` for the server.
    package let by: UserID?
    /// In the order of `event.rooms`.
    package let positions: [Position]

    package init(event: Event, at: Int64, by: UserID?, positions: [Position]) {
        self.event = event
        self.at = at
        self.by = by
        self.positions = positions
    }
}

/// What a command comes to: facts, and perhaps a refusal.
///
/// Both at once is rare but real: accepting an invitation at the maximum of channels is refused *and* cancels the
/// invitation (`US4`).
package struct Decision: Equatable, Sendable {
    package var events: [Event]
    package var refusal: Rejection?
    /// Told to those who are there and written down nowhere (`CH5`). They come before what the events tell.
    package var messages: [Message]

    package init(_ events: [Event], refusal: Rejection? = nil, messages: [Message] = []) {
        self.events = events
        self.refusal = refusal
        self.messages = messages
    }
}
