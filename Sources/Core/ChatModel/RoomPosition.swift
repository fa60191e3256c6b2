/// A position in a channel's room, from which a subscription with `recover` continues without a gap.
public struct RoomPosition: Codable, Hashable, Sendable {
    /// The offset of the room's last event, counted from 1.
    public var offset: UInt64
    /// Identifies this incarnation of the room.
    public var epoch: String

    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
