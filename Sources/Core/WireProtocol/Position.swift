/// A position in a room: the offset of its last durable event, and the epoch that offset belongs to.
public struct StreamPosition: Hashable, Sendable {
    /// 0 is before the first event.
    public var offset: UInt64
    public var epoch: String

    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
