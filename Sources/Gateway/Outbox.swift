import DequeModule

/// What could not be written at once, in order, kept as whole frames so that it can be cut between two of them.
package struct Outbox: Sendable {
    package struct Limits: Sendable, Equatable {
        package var bytes = 1_048_576
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

    package var limits: Limits
    private var writes: Deque<[UInt8]> = []
    /// How much of the first write has left.
    private var headOffset = 0
    package private(set) var byteCount = 0

    package init(limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { writes.isEmpty }

    /// - Parameter sent: How many of the first bytes have left already.
    package mutating func append(_ frames: [UInt8], sent: Int = 0) -> Fill {
        if writes.isEmpty { headOffset = sent }
        writes.append(frames)
        byteCount += frames.count - sent
        return byteCount > limits.bytes || writes.count > limits.writes ? .overflowed : .normal
    }

    /// Hands out what is to be written next, until `write` takes less than all of it.
    ///
    /// - Parameter write: Returns how many bytes it took; `nil` ends the attempt.
    package mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while let first = writes.first {
            let rest = first.count - headOffset
            let taken = first.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
            guard let taken else { return }
            byteCount -= taken
            headOffset += taken
            guard taken >= rest else { return }
            writes.removeFirst()
            headOffset = 0
        }
    }

    /// Gives up everything behind the write that has begun, to make place for a last word.
    package mutating func dropUnbegun() {
        let keepsFirst = headOffset > 0
        let head = writes.first
        writes.removeAll()
        byteCount = 0
        guard keepsFirst, let head else {
            headOffset = 0
            return
        }
        writes.append(head)
        byteCount = head.count - headOffset
    }
}
