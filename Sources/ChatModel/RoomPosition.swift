/// A place in a channel's room, from which a subscription with `recover` goes on without a gap.
public struct RoomPosition: Codable, Hashable, Sendable {
    /// Of the room's last event, from 1.
    public var offset: UInt64
    /// Names this life of the room.
    public var epoch: String

    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
