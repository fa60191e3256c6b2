import DequeModule

/// Frames that could not be written yet, in order, kept whole so that the queue can be cut between two of them.
package struct Outbox: ~Copyable, Sendable {
    package struct Limits: Sendable, Equatable {
        /// Bytes the peer did not request.
        package var bytes = 1_048_576
        /// Bytes the peer requested: a page of long messages does not make it a slow consumer.
        package var answerBytes = 33_554_432
        /// Queued writes, each of one or more whole frames.
        package var writes = 16_384
        /// How long the peer may read nothing while frames are queued.
        package var stalledMilliseconds: Int64 = 20_000
        package init() {}
    }

    package enum Fill: Equatable, Sendable {
        case normal
        /// Over a limit: the connection must be closed as a slow consumer.
        case overflowed
    }

    private var writes: Deque<(bytes: [UInt8], isAnswer: Bool)> = []
    /// Bytes of the first write already sent.
    private var headOffset = 0
    package private(set) var byteCount = 0
    private var answerByteCount = 0
    package var limits: Limits

    package init(limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { writes.isEmpty }

    /// Whether more bytes are queued than the limit for unrequested ones; then no more should be requested.
    package var isFull: Bool { byteCount > limits.bytes }

    /// Whether frames that may be dropped are accepted. They only get the first half of the space, so they never cause
    /// a disconnect that reliable frames alone would not.
    package func acceptsTransient(_ count: Int) -> Bool {
        byteCount - answerByteCount + count <= limits.bytes / 2 && writes.count < limits.writes / 2
    }

    /// - Parameters:
    ///   - sent: Leading bytes already sent.
    ///   - isAnswer: Whether the peer requested it.
    package mutating func append(_ frames: [UInt8], sent: Int = 0, isAnswer: Bool = false) -> Fill {
        if writes.isEmpty { headOffset = sent }
        writes.append((frames, isAnswer))
        byteCount += frames.count - sent
        if isAnswer { answerByteCount += frames.count - sent }
        let isOver = byteCount - answerByteCount > limits.bytes || answerByteCount > limits.answerBytes
        return isOver || writes.count > limits.writes ? .overflowed : .normal
    }

    /// Passes queued bytes to `write` until it accepts less than all of them.
    ///
    /// - Parameter write: Returns how many bytes it accepted; `nil` stops.
    package mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while let first = writes.first {
            let rest = first.bytes.count - headOffset
            let written = first.bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
            guard let written else { return }
            byteCount -= written
            if first.isAnswer { answerByteCount -= written }
            headOffset += written
            guard written >= rest else { return }
            writes.removeFirst()
            headOffset = 0
        }
    }

    /// Drops everything after the write in progress, to make room for a last message.
    ///
    /// - Parameter hasBegun: Whether the first write is in progress although none of its bytes count as sent.
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
        if head.isAnswer { answerByteCount = byteCount }
    }
}
