import Synchronization

/// A bounded buffer between a client's loop and the task that consumes `events`.
///
/// Filled on the loop, emptied by one task.
final class Mailbox: Sendable {
    enum Item: Sendable {
        case publication(room: String, offset: UInt64, data: [UInt8])
        case subscribed(room: String, recovered: Bool, wasRecovering: Bool)
        case unsubscribed(room: String)
        case gap(room: String, expected: UInt64, received: UInt64)

        var bytes: Int {
            if case .publication(_, _, let data) = self { data.count } else { 0 }
        }
    }

    private struct Fill {
        /// False until `events` is first accessed, and after its consumer is gone.
        var isOpen = false
        var items = 0
        var bytes = 0
        var isOverHigh = false
    }

    private static let byteLimit = 16_777_216

    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    private let limit: Int
    private let fill = Mutex(Fill())
    /// Called from the consumer's task when it has caught up.
    private let onLow: @Sendable () -> Void

    init(limit: Int, onLow: @escaping @Sendable () -> Void) {
        self.limit = max(1, limit)
        self.onLow = onLow
        (items, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Starts collecting events.
    func open() {
        let isFirst = fill.withLock { fill in
            defer { fill.isOpen = true }
            return !fill.isOpen
        }
        guard isFirst else { return }
        continuation.onTermination = { [weak self] _ in self?.abandon() }
    }

    /// - Returns: False when the client must stop reading until `onLow`.
    func enqueue(_ item: Item) -> Bool {
        let isBelowHigh = fill.withLock { fill -> Bool? in
            guard fill.isOpen else { return nil }
            fill.items += 1
            fill.bytes += item.bytes
            if fill.items >= limit || fill.bytes >= Self.byteLimit { fill.isOverHigh = true }
            return !fill.isOverHigh
        }
        guard let isBelowHigh else { return true }
        continuation.yield(item)
        return isBelowHigh
    }

    func recordConsumed(_ item: Item) {
        let isLow = fill.withLock { fill in
            fill.items -= 1
            fill.bytes -= item.bytes
            guard fill.isOverHigh, fill.items <= limit / 2, fill.bytes <= Self.byteLimit / 2 else { return false }
            fill.isOverHigh = false
            return true
        }
        if isLow { onLow() }
    }

    /// The number of waiting items, and their size in bytes.
    var waiting: (items: Int, bytes: Int) { fill.withLock { ($0.items, $0.bytes) } }

    func finish() { continuation.finish() }

    /// Discards everything, now and later, because the consumer is gone.
    private func abandon() {
        fill.withLock { $0 = Fill() }
        onLow()
    }
}
