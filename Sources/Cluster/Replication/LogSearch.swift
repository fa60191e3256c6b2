/// Finds the message at which a node begins to read the log: the last one that begins before the frame that the node needs
/// next, or else the oldest.
///
/// A search by halves, because frames are numbered in the order of the messages. Pure: the owner reads the messages.
package struct LogSearch: Sendable {
    package enum Step: Equatable, Sendable {
        /// Read this message, and report its first frame.
        case read(number: UInt64)
        case found(number: UInt64)
    }

    private let needed: UInt64
    /// Messages before `low` begin before the needed frame.
    private var low: UInt64
    /// Messages from `high` on do not.
    private var high: UInt64
    private let first: UInt64

    /// - Parameters:
    ///   - lastFrame: The last frame that the node has.
    ///   - bounds: The messages in the store.
    package init(after lastFrame: UInt64, in bounds: LogBounds) {
        needed = lastFrame &+ 1
        first = max(1, bounds.first)
        low = first
        high = bounds.last == .max ? .max : max(first, bounds.last + 1)
    }

    package var next: Step {
        guard low < high else { return .found(number: low > first ? low - 1 : first) }
        return .read(number: low + (high - low) / 2)
    }

    /// Receives the first frame of the message that `next` asked for; 0 if the store has dropped the message since.
    package mutating func receive(firstFrame: UInt64, of number: UInt64) {
        guard (low..<high).contains(number) else { return }
        if firstFrame < needed { low = number + 1 } else { high = number }
    }
}
