import ChatEngine
import ChatModel
import Cluster
import Gateway
import Journal
import Replication
import Transport

/// A simulated server's place in a cluster.
struct SimulatedSeat {
    let id: NodeID
    let cluster: String
    let timeline: Timeline
    let store: SimulatedLogConnection
    let bus: SimulatedBusConnection
    /// The greatest size of a log message in bytes.
    let messageLimit: Int
    /// The node must leave the cluster.
    let failed: @Sendable (ReplicaFailure) -> Void
    /// The writer did not answer in time, so that reads see what the node has.
    let readsLocally: @Sendable () -> Void
}

/// A simulated server's part in a cluster, on simulated queues.
///
/// Confined to the simulator's thread, which stands in for the queues.
final class SimulatedMember: @unchecked Sendable {
    private let seat: SimulatedSeat
    private let node: ClusterNode
    /// For the engine.
    let port: any ClusterPort
    /// For the node, and for its presence.
    private let queues: [SimulatedQueue]
    /// Whether the node has handed over, or cannot.
    private(set) var hasHandedOver = false

    init(_ seat: SimulatedSeat, journal: DiskLog<Outcome>, clock: SimulatedClock) {
        self.seat = seat
        let timeline = seat.timeline
        queues = (0..<2).map { _ in SimulatedQueue(timeline: timeline) }
        node = ClusterNode(
            seat.id, of: seat.cluster, journal: journal, messageLimit: seat.messageLimit, store: seat.store,
            bus: seat.bus, failed: seat.failed, queue: queues[0], presenceQueue: queues[1],
            clock: { timeline.now }, wallClock: { clock.now })
        port = ObservedPort(node, seat)
    }

    var log: any EventLog<Outcome> { node.log }
    var status: ReplicaStatus { node.status }

    func start(_ chat: ChatServices, clock: SimulatedClock) { node.start(chat, clock: { clock.now }) }

    func handOver() { node.handOver { self.hasHandedOver = true } }

    /// Stops the process. What arrives waits.
    func stop() { for queue in queues { queue.stop() } }

    /// Lets a stopped process continue.
    func resume() { for queue in queues { queue.resume() } }

    /// Ends the process without a word to the others.
    func end() {
        seat.store.close()
        seat.bus.close()
        queues[1].end { queues[0].end { node.stop() } }
    }

    /// Lets time pass for the cluster, but not for the other servers, until a condition holds or 5 s have passed.
    func wait(until isDone: () -> Bool) {
        for _ in 0..<2_500 where !isDone() { seat.timeline.run(milliseconds: 2) }
    }
}

/// Passes everything on, and tells when the writer did not say how far reads must see.
///
/// Confined to the simulator's thread, which stands in for the queues of the node.
private final class ObservedPort: ClusterPort, @unchecked Sendable {
    private let port: any ClusterPort
    private let seat: SimulatedSeat

    /// A writer that the log does not answer says after this many milliseconds what it knows.
    private static let patience: Int64 = 800

    init(_ port: any ClusterPort, _ seat: SimulatedSeat) {
        self.port = port
        self.seat = seat
    }

    func relay(_ command: RelayedCommand) { port.relay(command) }
    func restartRelay(_ commands: [RelayedCommand], in term: UInt64) { port.restartRelay(commands, in: term) }
    func keep(_ answer: [UInt8]) { port.keep(answer) }
    func forgetRelayed(through serial: UInt64) { port.forgetRelayed(through: serial) }
    func share(_ news: ClusterNews) { port.share(news) }
    func tellProgress() { port.tellProgress() }
    var checksums: EventChecksums { port.checksums }
    var isTermCurrent: Bool { port.isTermCurrent }

    func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void) {
        port.whenEverywhere(frame, done)
    }

    func presenceChanged(_ user: UserID, isConnected: Bool) { port.presenceChanged(user, isConnected: isConnected) }

    func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void) {
        let asked = seat.timeline.now
        port.findLastFrame { [self] frame in
            if frame == nil || seat.timeline.now - asked >= Self.patience { seat.readsLocally() }
            done(frame)
        }
    }
}
