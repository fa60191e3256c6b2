import Replication

/// The connection of a simulated node to the bus.
///
/// Confined to the simulator's thread, which stands in for the bus's queue.
package final class SimulatedBusConnection: Bus, @unchecked Sendable {
    private struct Served {
        weak var subscription: SimulatedBusSubscription?
    }

    private let bus: SimulatedBus
    private var served: [Served] = []
    /// Whether nothing passes in either direction, and the bus does not know yet.
    package var isCut = false
    /// Only connections on one side reach each other.
    package var side = 0
    private var isClosed = false

    init(_ bus: SimulatedBus) { self.bus = bus }

    /// Ends the process. The bus notices at once.
    package func close() {
        isClosed = true
        bus.remove(self)
    }

    func subscriptions(to subject: String) -> [SimulatedBusSubscription] {
        served.compactMap(\.subscription).filter { $0.subject == subject }
    }

    package func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> BusSubscription {
        let subscription = SimulatedBusSubscription(subject, self, receive)
        served.removeAll { $0.subscription == nil }
        served.append(Served(subscription: subscription))
        return subscription
    }

    package func publish(_ message: [UInt8], to subject: String) {
        guard !isCut else { return }
        for subscription in bus.subscriptions(to: subject, from: self) {
            bus.carry(doubles: true) { [weak subscription] in subscription?.receive(message, from: self, nil) }
        }
    }

    package func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) {
        let result = FirstResult<BusReply> { [weak self] in if self?.isClosed == false { done($0) } }
        bus.timeline.after(milliseconds) { result(.silence) }
        guard !isCut else { return }
        let subscriptions = bus.subscriptions(to: subject, from: self)
        if subscriptions.isEmpty { bus.timeline.after(1) { result(.nobody) } }
        for subscription in subscriptions {
            bus.carry(doubles: true) { [weak subscription] in
                guard let subscription else { return }
                subscription.receive(message, from: self) { reply in
                    subscription.send(to: self) { result(.reply(reply)) }
                }
            }
        }
    }

    /// Whether a message of another connection reaches this one.
    func isReached(by sender: SimulatedBusConnection) -> Bool { !isCut && !isClosed && side == sender.side }

    func carry(to receiver: SimulatedBusConnection, _ body: @escaping () -> Void) {
        guard receiver.isReached(by: self), !isCut else { return }
        bus.carry(doubles: false) { if receiver.isReached(by: self) { body() } }
    }
}

/// A subscription of a simulated node. Confined to the simulator's thread, which stands in for the bus's queue.
final class SimulatedBusSubscription: BusSubscription, @unchecked Sendable {
    let subject: String
    private let connection: SimulatedBusConnection
    private let body: @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void

    init(
        _ subject: String, _ connection: SimulatedBusConnection,
        _ body: @escaping @Sendable ([UInt8], (@Sendable ([UInt8]) -> Void)?) -> Void
    ) {
        self.subject = subject
        self.connection = connection
        self.body = body
    }

    func receive(
        _ message: [UInt8], from sender: SimulatedBusConnection, _ reply: (@Sendable ([UInt8]) -> Void)?
    ) {
        guard connection.isReached(by: sender) else { return }
        body(message, reply)
    }

    func send(to receiver: SimulatedBusConnection, _ body: @escaping () -> Void) {
        connection.carry(to: receiver, body)
    }
}
