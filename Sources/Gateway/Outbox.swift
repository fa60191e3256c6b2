import DequeModule

/// What could not be written at once, in order, kept as whole frames so that it can be cut between two of them.
package struct Outbox: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Of what comes to the peer unasked.
        package var bytes = 1_048_576
        /// Of what the peer has asked for: a page of long messages is no sign of a slow reader.
        package var answerBytes = 33_554_432
        /// Writes, each of one or more whole frames.
        package var writes = 16_384
        /// How long the peer may take nothing while something waits.
        package var stalledMilliseconds: Int64 = 20_000
        package init() {}
    }

    package enum Fill: Equatable, Sendable {
        case normal
        /// Over a limit: the connection is to be closed as slow.
        case overflowed
    }

    private var writes: Deque<(bytes: [UInt8], isAnswer: Bool)> = []
    /// How much of the first write has left.
    private var headOffset = 0
    package private(set) var byteCount = 0
    private var answerByteCount = 0
    package var limits: Limits

    package init(limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { writes.isEmpty }

    /// Whether as much waits as may come unasked; then nothing more should be asked for.
    package var isFull: Bool { byteCount > limits.bytes }

    /// Whether frames that may be lost are taken: only into the first half of the space, so that they never close a
    /// connection which could still hear what may not be lost.
    package func takesTransient(_ count: Int) -> Bool {
        byteCount - answerByteCount + count <= limits.bytes / 2 && writes.count < limits.writes / 2
    }

    /// - Parameters:
    ///   - sent: How many of the first bytes have left already.
    ///   - isAnswer: Whether the peer has asked for it.
    package mutating func append(_ frames: [UInt8], sent: Int = 0, isAnswer: Bool = false) -> Fill {
        if writes.isEmpty { headOffset = sent }
        writes.append((frames, isAnswer))
        byteCount += frames.count - sent
        if isAnswer { answerByteCount += frames.count - sent }
        let isOver = byteCount - answerByteCount > limits.bytes || answerByteCount > limits.answerBytes
        return isOver || writes.count > limits.writes ? .overflowed : .normal
    }

    /// Hands out what is to be written next, until `write` takes less than all of it.
    ///
    /// - Parameter write: Returns how many bytes it took; `nil` ends the attempt.
    package mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while let first = writes.first {
            let rest = first.bytes.count - headOffset
            let taken = first.bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
            guard let taken else { return }
            byteCount -= taken
            if first.isAnswer { answerByteCount -= taken }
            headOffset += taken
            guard taken >= rest else { return }
            writes.removeFirst()
            headOffset = 0
        }
    }

    /// Gives up everything behind the write that has begun, to make place for a last word.
    ///
    /// - Parameter hasBegun: Whether the first write has begun although nothing of it counts as left yet.
    package mutating func dropUnbegun(hasBegun: Bool = false) {
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
