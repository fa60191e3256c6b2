/// The bus of simulated nodes: it delays, loses and doubles messages, and can be divided.
///
/// Confined to the simulator's thread, which stands in for the bus's queue.
package final class SimulatedBus: @unchecked Sendable {
    /// The chance of each fault in percent.
    package struct Faults: Equatable, Sendable {
        package var lost = 0
        package var doubled = 0
        /// The greatest delay in milliseconds, at least 1.
        package var delay = 5

        package static let none = Faults()

        package init() {}

        package init(using random: inout SplitMix) {
            lost = random.pick([0, 1, 5, 20])
            doubled = random.pick([0, 1, 20])
            delay = random.pick([2, 5, 50])
        }
    }

    let timeline: Timeline
    private var random: SplitMix
    package var faults = Faults.none
    private var connections: [SimulatedBusConnection] = []

    package init(timeline: Timeline, seed: UInt64) {
        self.timeline = timeline
        random = SplitMix(seed: seed)
    }

    /// Returns the connection of a node's process.
    package func connect() -> SimulatedBusConnection {
        let connection = SimulatedBusConnection(self)
        connections.append(connection)
        return connection
    }

    func remove(_ connection: SimulatedBusConnection) { connections.removeAll { $0 === connection } }

    /// Returns the subscriptions of a subject that a connection's messages reach, in the order of connections.
    func subscriptions(to subject: String, from sender: SimulatedBusConnection) -> [SimulatedBusSubscription] {
        connections.filter { $0.side == sender.side }.flatMap { $0.subscriptions(to: subject) }
    }

    /// Carries a message, unless it gets lost.
    ///
    /// - Parameter doubles: Whether it may arrive twice.
    func carry(doubles: Bool, _ body: @escaping () -> Void) {
        guard !random.chance(percent: faults.lost) else { return }
        let copies = doubles && random.chance(percent: faults.doubled) ? 2 : 1
        for _ in 0..<copies { timeline.after(1 + random.below(faults.delay), body) }
    }
}
