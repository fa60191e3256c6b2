import ChatModel

/// Makes the ids of new things: time-ordered, random in the rest (RFC 9562 §5.7).
struct FreshIDs {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    mutating func next(at milliseconds: Int64) -> MessageID {
        MessageID(milliseconds: milliseconds, random: (generator.next(), generator.next()))
    }
}
