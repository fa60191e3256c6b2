@_exported import ChatModel

/// A decoded publication of a room.
public struct RoomEvent: Hashable, Sendable {
    public let room: Room
    /// Its number in the room, from 1 without gaps; `nil` for transient events (typing, presence, receipts).
    public let offset: UInt64?
    public let event: TypedEvent
}

/// The client's events, in order.
public enum ClientEvent: Hashable, Sendable {
    case event(RoomEvent)
    /// An event whose type this version does not know, as JSON.
    case unknown(room: Room, offset: UInt64?, json: [UInt8])
    /// The room's events follow. If `wasRecovering` is true and `recovered` is false, some events are lost for
    /// good: reload the room's state.
    case subscribed(Room, recovered: Bool, wasRecovering: Bool)
    /// No more events of the room follow.
    case unsubscribed(Room)
    /// An offset was skipped. The client reconnects and recovers the missing events.
    case gap(Room, expected: UInt64, received: UInt64)
}
