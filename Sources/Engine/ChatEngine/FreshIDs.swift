import ChatModel

/// Generates ids that are ordered by time and otherwise random. Each is greater than the one before, even within a
/// millisecond (RFC 9562 §5.7, §6.2 method 2).
struct FreshIDs {
    private var generator: any RandomNumberGenerator
    private(set) var last = MessageID(high: 0, low: 0)

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    /// Makes later ids greater than one of an earlier process: the clock may have been set back since, and all ids of one
    /// millisecond differ in random bits only.
    mutating func advance(past id: MessageID) { last = max(last, id) }

    mutating func next(at milliseconds: Int64) -> MessageID {
        let random = MessageID(milliseconds: milliseconds, random: (generator.next(), generator.next()))
        last = random > last ? random : last.successor
        return last
    }
}
