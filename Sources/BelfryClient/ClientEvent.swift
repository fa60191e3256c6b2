@_exported import ChatModel

/// One publication of a room, typed.
public struct RoomEvent: Hashable, Sendable {
    public let room: Room
    /// Its number in the room, from 1 without gaps; `nil` for what is not stored (typing, presence, receipts).
    public let offset: UInt64?
    public let event: TypedEvent
}

/// What happens to a client, in the order it happened.
public enum ClientEvent: Hashable, Sendable {
    case event(RoomEvent)
    /// An event of a type that this version does not know, as JSON.
    case unknown(room: Room, offset: UInt64?, json: [UInt8])
    /// The room's events follow. `wasRecovering` without `recovered`: something was missed for good, so the room's state
    /// has to be fetched.
    case subscribed(Room, recovered: Bool, wasRecovering: Bool)
    /// No event of the room follows.
    case unsubscribed(Room)
    /// An offset came that is not the next one. The client connects anew and recovers what is missing.
    case gap(Room, expected: UInt64, received: UInt64)
}
