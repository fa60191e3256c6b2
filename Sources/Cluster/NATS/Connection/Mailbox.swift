#if Cluster
import Dispatch
import Synchronization

/// Replies on their way from cnats's thread to the connection's queue. When full, it drops what arrives.
///
/// A lock guards them, because a queue of blocks cannot be bounded.
final class Mailbox: Sendable {
    private struct Waiting {
        var messages: [NATSMessage] = []
        var bytes = 0
    }

    private static let byteLimit = 64 << 20
    private static let countLimit = 65_536

    /// Of the whole link.
    let used = UsedMessages()
    private let waiting = Mutex(Waiting())
    private let queue: DispatchQueue
    private let dropped: @Sendable () -> Void
    private let receive: @Sendable (NATSMessage) -> Void

    /// - Parameters:
    ///   - dropped: Called for each message that does not fit.
    ///   - receive: Called on `queue`.
    init(
        queue: DispatchQueue, dropped: @escaping @Sendable () -> Void,
        receive: @escaping @Sendable (NATSMessage) -> Void
    ) {
        self.queue = queue
        self.dropped = dropped
        self.receive = receive
    }

    /// Takes ownership of a message of cnats.
    func append(_ message: OpaquePointer) { append(NATSMessage(message, used)) }

    func append(_ message: NATSMessage) {
        let count = message.count
        // Nil if it does not fit.
        let isFirst: Bool? = waiting.withLock { waiting in
            guard waiting.messages.count < Self.countLimit, waiting.bytes + count <= Self.byteLimit else {
                return nil
            }
            waiting.bytes += count
            waiting.messages.append(message)
            return waiting.messages.count == 1
        }
        guard let isFirst else { return dropped() }
        if isFirst { queue.async { self.drain() } }
    }

    private func drain() {
        let messages = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.messages
        }
        for message in messages { receive(message) }
    }
}
#endif
