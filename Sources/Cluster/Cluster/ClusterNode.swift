import ChatEngine
import ChatModel
import Dispatch
import Gateway
import Journal
import Replication
import Synchronization

/// A server's part in a cluster: its engine's log, the commands that it sends to the writer or receives as the writer, and
/// what nodes tell each other without the log.
///
///     engine ⇄ ReplicatedLog ⇄ shared log           what was decided
///     engine → CommandRelay → bus → RelayServer     what is to be decided
///     engine ⇄ PresenceExchange, news ⇄ bus         what is not kept
package final class ClusterNode: ClusterPort {
    /// How the node carries out what others send. All are callable from any queue.
    package struct Services: Sendable {
        let execute: @Sendable (RelayedCommand, RemoteCommand) -> Void
        let hear: @Sendable (ClusterNews) -> Void
        /// A term began, of this node or another, and the engine knows.
        let began: @Sendable (LogTerm) -> Void
        /// Keeps the answer to a request with an idempotency key.
        let keep: @Sendable ([UInt8]) -> Void
        /// Commands of this node have waited for the log for too long.
        let late: @Sendable ([Outcome]) -> Void

        package init(
            execute: @escaping @Sendable (RelayedCommand, RemoteCommand) -> Void,
            hear: @escaping @Sendable (ClusterNews) -> Void,
            began: @escaping @Sendable (LogTerm) -> Void = { _ in },
            keep: @escaping @Sendable ([UInt8]) -> Void = { _ in },
            late: @escaping @Sendable ([Outcome]) -> Void = { _ in }
        ) {
            self.execute = execute
            self.hear = hear
            self.began = began
            self.keep = keep
            self.late = late
        }
    }

    package let id: NodeID
    /// The log for the engine.
    package let log: ReplicatedLog<Outcome>
    private let queue: any SerialQueue
    private let bus: any Bus
    private let replica: Replica<Outcome>
    private let relayed: CommandRelay
    private let server: RelayServer
    private let presence: PresenceExchange
    package let checksums: EventChecksums
    private let parts = Parts()

    /// What is known only once the engine exists. Confined to the node's queue, except `services`.
    private final class Parts: @unchecked Sendable {
        let services = Mutex<Services?>(nil)
        var engine: ChatEngine?
        var node: ClusterNode?
        var news: (any BusSubscription)?
        var term: LogTerm?
    }

    /// - Parameters:
    ///   - journal: The node's mirror of the log.
    ///   - messageLimit: The greatest size of the log's messages in bytes; smaller in simulations.
    ///   - facts: What the node tells the others about itself.
    ///   - policy: When to drop messages of the log, as the writer; `nil` for never.
    ///   - failed: The node must leave the cluster. Called once, on the node's queue.
    ///   - refused: A bound has kept out something that another node sent. Called on any queue.
    ///   - queue: A serial queue. Presence has its own, so that beats need not wait for it.
    ///   - clock: Milliseconds; never goes back.
    ///   - wallClock: Milliseconds since 1970.
    package init(
        _ id: NodeID, of cluster: String, journal: DiskLog<Outcome>, messageLimit: Int = LogMessage.sizeLimit,
        store: any LogStore, bus: any Bus, facts: NodeBeat.Facts = NodeBeat.Facts(), trimming policy: TrimPolicy? = nil,
        failed: @escaping @Sendable (ReplicaFailure) -> Void,
        refused: @escaping @Sendable (ClusterBound) -> Void = { _ in },
        queue: any SerialQueue = DispatchQueue(label: "belfry.cluster"),
        presenceQueue: any SerialQueue = DispatchQueue(label: "belfry.cluster.presence"),
        clock: @escaping @Sendable () -> Int64 = { SteadyClock.now },
        wallClock: @escaping @Sendable () -> Int64 = { SystemClock.now }
    ) {
        self.id = id
        self.bus = bus
        self.queue = queue
        let parts = parts
        let checksums = EventChecksums(after: journal.lastSequence)
        self.checksums = checksums
        replica = Replica(
            node: id, cluster: cluster, queue: queue, store: store, bus: bus,
            hooks: .init(
                apply: { frames, done in
                    guard let engine = parts.engine else { return done(false) }
                    engine.follow(frames) { result in
                        if case .success = result { done(true) } else { done(false) }
                    }
                },
                began: { term in parts.node?.begin(term) }, failed: failed,
                late: { outcomes in parts.services.withLock { $0 }?.late(outcomes) },
                clockOff: { parts.node?.handOver {} }),
            facts: facts, announced: checksums, trimming: policy, clock: clock, wallClock: wallClock)
        log = replica.makeLog(journal: journal, messageLimit: messageLimit) { outcome in
            LogFrame.Tag(
                origin: outcome.origin?.node ?? id, serial: outcome.origin?.serial ?? 0, id: outcome.freshID,
                refusal: outcome.refusal, kept: outcome.kept)
        }
        relayed = CommandRelay(id, queue, bus, clock: clock)
        server = RelayServer(id, queue, bus, refused: refused)
        presence = PresenceExchange(id, presenceQueue, bus, clock: clock, refused: refused) { connected, disconnected in
            queue.async { parts.engine?.recordPresence(connected: connected, disconnected: disconnected) }
        }
    }

    /// Begins to follow the log. The engine has been restored from the journal and has joined this node.
    package func start(_ engine: ChatEngine, _ services: Services) {
        parts.services.withLock { $0 = services }
        queue.async { [self] in
            parts.engine = engine
            parts.node = self
            parts.news = bus.serve(Subjects.news) { [id] message, _ in
                guard let proto = ProtoNews(encoded: message), NodeID(proto.sender) != id,
                    let news = ClusterNews(proto)
                else { return }
                services.hear(news)
            }
        }
        replica.start(log, after: log.lastSequence)
        presence.start()
    }

    /// Leaves the cluster without a word, as a crash does.
    package func stop() {
        replica.stop()
        presence.stop()
        parts.services.withLock { $0 = nil }
        queue.async { [self] in
            server.end()
            (parts.engine, parts.node, parts.news) = (nil, nil, nil)
        }
    }

    /// What the node knows of the cluster. Callable from any queue.
    package var status: ReplicaStatus { replica.status }

    package var isWriter: Bool { status.role == .writer }

    /// Lets another node decide, before this one stops. Its clients' commands go there meanwhile. Callable from any queue.
    ///
    /// - Parameter done: Called once, on any queue; also if no other node takes over.
    package func handOver(_ done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            guard let engine = parts.engine, let term = parts.term, term.writer == id else { return done() }
            engine.yieldTerm {
                self.replica.handOver { isOver in
                    // Without a successor, this node goes on for its last clients.
                    if !isOver { engine.lead(term: term.number) }
                    done()
                }
            }
        }
    }

    /// Waits until what this node has decided is in the log, unless it is the writer no longer. Callable from any queue.
    ///
    /// - Parameter done: Called once, on any queue. The caller bounds the wait.
    package func settle(_ done: @escaping @Sendable () -> Void) { replica.settle(done) }

    /// Holds frames in the log for a node that copies this one's journal. Callable from any queue.
    ///
    /// - Parameter frame: The last frame in the copy; nil once the other node follows the log.
    package func hold(after frame: UInt64?) { replica.hold(after: frame) }

    // MARK: On `queue`

    private func begin(_ term: LogTerm) {
        parts.term = term
        relayed.begin(term)
        let services = parts.services.withLock { $0 }
        defer { services?.began(term) }
        guard term.writer == id else {
            server.end()
            parts.engine?.follow(term: term.number)
            return
        }
        if let services {
            server.begin(term, execute: services.execute, lastFrame: { [replica] in replica.findLastFrame($0) })
        }
        parts.engine?.lead(term: term.number)
    }

    // MARK: ClusterPort

    package func relay(_ command: RelayedCommand) { queue.async { self.relayed.relay(command) } }

    package func restartRelay(_ commands: [RelayedCommand], in term: UInt64) {
        queue.async { self.relayed.restart(commands, in: term) }
    }

    package func keep(_ answer: [UInt8]) { parts.services.withLock { $0 }?.keep(answer) }

    package func forgetRelayed(through serial: UInt64) { queue.async { self.relayed.forget(through: serial) } }

    package func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void) {
        queue.async { [self] in
            // The engine asks this node itself only in doubt.
            guard parts.term?.writer == id else { return relayed.findLastFrame(done) }
            replica.findLastFrame(asksLog: true, done)
        }
    }

    package var isTermCurrent: Bool { replica.isTermCurrent }

    package func share(_ news: ClusterNews) { bus.publish(news.encoded(from: id), to: Subjects.news) }

    package func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void) {
        replica.whenEverywhere(frame, done)
    }

    package func tellProgress() { replica.tellProgress() }

    package func presenceChanged(_ user: UserID, isConnected: Bool) {
        presence.record(user, isConnected: isConnected)
    }
}

extension EventChecksums: AnnouncedFrames {}
