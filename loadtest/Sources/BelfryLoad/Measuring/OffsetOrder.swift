/// Whether every offset of a room is the next one.
struct OffsetOrder: Sendable {
    struct Step: Equatable, Sendable {
        var expected: UInt64
        var received: UInt64
    }

    private(set) var last: UInt64?
    private(set) var outOfOrder = 0
    private(set) var firstOutOfOrder: Step?

    /// Every durable event counts, whatever it is; 0 is the offset of what is not stored.
    mutating func note(_ offset: UInt64) {
        guard offset > 0 else { return }
        if let last, offset != last + 1 {
            outOfOrder += 1
            if firstOutOfOrder == nil { firstOutOfOrder = Step(expected: last + 1, received: offset) }
        }
        last = max(offset, last ?? 0)
    }
}
