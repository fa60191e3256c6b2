import ChatEngine
import Gateway
import Journal
import Replication

/// Carries out the commands of other nodes while this one decides. Confined to `queue`.
final class RelayServer: @unchecked Sendable {
    /// The greatest number of processes that may send commands in one term.
    private static let originLimit = 64

    private let node: NodeID
    private let queue: any SerialQueue
    private let bus: any Bus
    private var intakes: [NodeID: RelayIntake] = [:]
    private var services: [any BusSubscription] = []
    private let refused: @Sendable (ClusterBound) -> Void

    /// - Parameter refused: Called whenever a bound keeps something out.
    init(
        _ node: NodeID, _ queue: any SerialQueue, _ bus: any Bus,
        refused: @escaping @Sendable (ClusterBound) -> Void = { _ in }
    ) {
        self.node = node
        self.queue = queue
        self.bus = bus
        self.refused = refused
    }

    /// This node's term began.
    ///
    /// - Parameters:
    ///   - execute: Carries out a command.
    ///   - lastFrame: Finds the last frame that any node may have acknowledged, or `nil` if it does not know. Called on `queue`.
    func begin(
        _ term: LogTerm, execute: @escaping @Sendable (RelayedCommand, RemoteCommand) -> Void,
        lastFrame: @escaping @Sendable (@escaping @Sendable (UInt64?) -> Void) -> Void
    ) {
        intakes = [:]
        services = [
            bus.serve(Subjects.relay(term)) { [weak self] message, reply in
                guard let self else { return }
                queue.async {
                    if let received = self.receive(message, in: term, execute) {
                        reply?(ProtoRelayReply(received: received).encoded)
                    }
                }
            },
            bus.serve(Subjects.lastFrame(term)) { [queue] _, reply in
                queue.async { lastFrame { frame in if let frame { reply?(ProtoLastFrame(frame).encoded) } } }
            },
        ]
    }

    func end() { services = [] }

    /// - Returns: The number of pieces that the sender need not send again; `nil` for a message to ignore.
    private func receive(
        _ message: [UInt8], in term: LogTerm, _ execute: @Sendable (RelayedCommand, RemoteCommand) -> Void
    ) -> UInt64? {
        guard let relay = ProtoRelay(encoded: message), let origin = NodeID(relay.origin), origin != node else {
            return nil
        }
        if intakes[origin] == nil, intakes.count >= Self.originLimit {
            // A node may restart often in a long term; its earlier processes send nothing any more.
            intakes = intakes.filter { $0.key.name != origin.name }
        }
        guard intakes[origin] != nil || intakes.count < Self.originLimit else {
            refused(.origins)
            return nil
        }
        let intake = intakes[origin] ?? RelayIntake { [refused] in refused(.commands) }
        intakes[origin] = intake
        for command in intake.take(relay) {
            let origin = CommandOrigin(node: origin, serial: command.serial)
            execute(
                command,
                RemoteCommand(origin, term: term.number, abandoned: { intake.finish(command) }) { _ in
                    intake.finish(command)
                })
        }
        return intake.received
    }
}
