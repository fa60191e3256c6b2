#if Cluster
import Dispatch
import Synchronization

/// Messages on their way from cnats's thread to the connection's queue. When full, it drops what arrives.
///
/// A lock guards them, because a queue of blocks cannot be bounded.
final class Mailbox: Sendable {
    struct Delivery: Sendable {
        let subscription: Int
        let message: NATSMessage
    }

    private struct Waiting {
        var deliveries: [Delivery] = []
        var bytes = 0
    }

    private static let byteLimit = 64 << 20
    private static let countLimit = 65_536

    private let waiting = Mutex(Waiting())
    private let queue: DispatchQueue
    private let dropped: @Sendable () -> Void
    private let receive: @Sendable (Delivery) -> Void

    /// - Parameters:
    ///   - dropped: Called for each message that does not fit.
    ///   - receive: Called on `queue`.
    init(
        queue: DispatchQueue, dropped: @escaping @Sendable () -> Void, receive: @escaping @Sendable (Delivery) -> Void
    ) {
        self.queue = queue
        self.dropped = dropped
        self.receive = receive
    }

    func append(_ delivery: Delivery) {
        let count = delivery.message.count
        // Nil if it does not fit.
        let isFirst: Bool? = waiting.withLock { waiting in
            guard waiting.deliveries.count < Self.countLimit, waiting.bytes + count <= Self.byteLimit else {
                return nil
            }
            waiting.bytes += count
            waiting.deliveries.append(delivery)
            return waiting.deliveries.count == 1
        }
        guard let isFirst else { return dropped() }
        if isFirst { queue.async { self.drain() } }
    }

    private func drain() {
        let deliveries = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.deliveries
        }
        for delivery in deliveries { receive(delivery) }
    }
}
#endif
