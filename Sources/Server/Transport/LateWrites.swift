import DequeModule
import Gateway

/// A connection's output that is postponed once a turn has used up its bytes: answers that are not encoded yet, and
/// frames that must not overtake them.
///
/// Bounded by the number of commands in progress and, for frames, by the outbox's limit.
struct LateWrites {
    enum Item {
        case answer(command: UInt32, Answer)
        case frames([UInt8], isAnswer: Bool)
    }

    private var items: Deque<Item> = []
    /// The number of bytes in postponed frames.
    private(set) var byteCount = 0

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ item: Item) {
        if case .frames(let bytes, _) = item { byteCount += bytes.count }
        items.append(item)
    }

    /// - Returns: Nil unless an answer is next.
    mutating func nextAnswer() -> (command: UInt32, answer: Answer)? {
        guard case .answer(let command, let answer)? = items.first else { return nil }
        items.removeFirst()
        return (command, answer)
    }

    /// - Returns: Nil unless frames are next.
    mutating func nextFrames() -> (bytes: [UInt8], isAnswer: Bool)? {
        guard case .frames(let bytes, let isAnswer)? = items.first else { return nil }
        items.removeFirst()
        byteCount -= bytes.count
        return (bytes, isAnswer)
    }
}
