import Dispatch
import Replication
import Synchronization

/// A bus in memory. Each node has a connection, which can be cut.
package final class MemoryBus: Sendable {
    fileprivate let subscriptions = Mutex<[MemorySubscription.Entry]>([])

    package init() {}

    package func connect() -> MemoryBusConnection { MemoryBusConnection(self) }
}

package final class MemoryBusConnection: Bus {
    private let bus: MemoryBus
    private let queue = DispatchQueue(label: "bus")
    /// Whether nothing passes in either direction.
    package let isCut = Atomic(false)

    fileprivate init(_ bus: MemoryBus) { self.bus = bus }

    fileprivate var isReachable: Bool { !isCut.load(ordering: .relaxed) }

    private func subscriptions(of subject: String) -> [MemorySubscription] {
        guard isReachable else { return [] }
        return bus.subscriptions.withLock { $0.compactMap(\.subscription) }.filter {
            $0.subject == subject && $0.connection.isReachable
        }
    }

    package func publish(_ message: [UInt8], to subject: String) {
        for subscription in subscriptions(of: subject) { subscription.receive(message, nil) }
    }

    package func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> any BusSubscription {
        let subscription = MemorySubscription(subject, self) { message, reply in
            self.queue.async { receive(message, reply) }
        }
        bus.subscriptions.withLock { entries in
            entries.removeAll { $0.subscription == nil }
            entries.append(MemorySubscription.Entry(subscription: subscription))
        }
        return subscription
    }

    package func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) {
        let isDone = AtomicFlag()
        let finish: @Sendable (BusReply) -> Void = { reply in
            self.queue.async { if isDone.set() { done(reply) } }
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { finish(.silence) }
        guard isReachable else { return }
        let receivers = subscriptions(of: subject)
        if receivers.isEmpty { finish(.nobody) }
        for receiver in receivers { receiver.receive(message) { finish(.reply($0)) } }
    }
}

private final class AtomicFlag: Sendable {
    private let isSet = Atomic(false)
    /// - Returns: Whether this call set it.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}

private final class MemorySubscription: BusSubscription {
    struct Entry: Sendable {
        weak var subscription: MemorySubscription?
    }

    let subject: String
    let connection: MemoryBusConnection
    let receive: @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void

    init(
        _ subject: String, _ connection: MemoryBusConnection,
        _ receive: @escaping @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void
    ) {
        self.subject = subject
        self.connection = connection
        self.receive = receive
    }
}
