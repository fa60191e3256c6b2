/// A place in a room's life: the number of its last durable event seen, and which life it is.
public struct StreamPosition: Hashable, Sendable {
    /// 0 stands before the first event.
    public var offset: UInt64
    public var epoch: String

    public init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
