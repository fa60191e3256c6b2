import DequeModule

/// A queue of frames that could not be written yet. Frames stay whole, so the queue can be cut between two of them.
package struct Outbox: ~Copyable, Sendable {
    package struct Limits: Sendable, Equatable {
        /// The maximum number of bytes the peer did not request.
        package var bytes = 1_048_576
        /// The maximum number of bytes the peer requested: a page of long messages does not make it a slow consumer.
        package var answerBytes = 33_554_432
        /// The maximum number of queued writes, each of one or more whole frames.
        package var writes = 16_384
        /// How long the peer may read nothing while frames are queued.
        package var stalledMilliseconds: Int64 = 20_000
        package init() {}
    }

    package enum Fill: Equatable, Sendable {
        case normal
        /// A limit is exceeded; the connection must be closed as a slow consumer.
        case overflowed
    }

    /// Each with the number of its leading bytes that the peer did not request.
    private var writes: Deque<(bytes: [UInt8], unrequested: Int)> = []
    /// The number of bytes of the first write already sent.
    private var headOffset = 0
    package private(set) var byteCount = 0
    private var answerByteCount = 0
    private var shared: Shared<Limits>
    package var limits: Limits {
        get { shared.value }
        set { shared = Shared(newValue) }
    }

    package init(limits: Shared<Limits>) { shared = limits }

    package var isEmpty: Bool { writes.isEmpty }

    /// Whether more than `limits.bytes` are queued in total. The loop should then stop reading requests.
    package var isFull: Bool { byteCount > limits.bytes }

    /// Returns whether there is space for droppable frames. They get only half of the limits, so that they never cause
    /// a disconnect that reliable frames alone would not cause.
    package func acceptsTransient(_ count: Int) -> Bool {
        byteCount - answerByteCount + count <= limits.bytes / 2 && writes.count < limits.writes / 2
    }

    /// - Parameters:
    ///   - sent: The number of leading bytes already sent.
    ///   - isAnswer: Whether the peer requested the frames.
    package mutating func append(_ frames: [UInt8], sent: Int = 0, isAnswer: Bool = false) -> Fill {
        append(frames, sent: sent, unrequested: isAnswer ? 0 : frames.count)
    }

    /// - Parameters:
    ///   - sent: The number of leading bytes already sent.
    ///   - unrequested: The number of leading bytes that the peer did not request: events that precede an answer.
    package mutating func append(_ frames: [UInt8], sent: Int = 0, unrequested: Int) -> Fill {
        if writes.isEmpty { headOffset = sent }
        writes.append((frames, unrequested))
        byteCount += frames.count - sent
        answerByteCount += frames.count - max(sent, unrequested)
        let isOver = byteCount - answerByteCount > limits.bytes || answerByteCount > limits.answerBytes
        return isOver || writes.count > limits.writes ? .overflowed : .normal
    }

    /// Passes queued bytes to `write` until the queue is empty or `write` accepts only part of them.
    ///
    /// - Parameter write: Returns the number of bytes it accepted, or `nil` to stop.
    package mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while let first = writes.first {
            let rest = first.bytes.count - headOffset
            let written = first.bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
            guard let written else { return }
            let unrequested = max(headOffset, first.unrequested)
            byteCount -= written
            headOffset += written
            answerByteCount -= max(0, headOffset - unrequested)
            guard written >= rest else { return }
            writes.removeFirst()
            headOffset = 0
        }
    }

    /// Drops all writes except the one in progress, to make space for a final message.
    ///
    /// - Parameter hasBegun: Whether the first write has begun although none of its bytes count as sent.
    package mutating func dropUnstarted(hasBegun: Bool = false) {
        let keepsFirst = headOffset > 0 || hasBegun
        let head = writes.first
        writes.removeAll()
        byteCount = 0
        answerByteCount = 0
        guard keepsFirst, let head else {
            headOffset = 0
            return
        }
        writes.append(head)
        byteCount = head.bytes.count - headOffset
        answerByteCount = head.bytes.count - max(headOffset, head.unrequested)
    }
}
