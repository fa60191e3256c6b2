import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import Foundation
import Gateway
import Journal
import Records
import Replication
import Synchronization
import WireProtocol

/// A node with a chat: an engine on a replicated log, with its journal in a folder.
final class ChatNode: Sendable {
    /// What reached the node's connections: rooms and offsets of events.
    final class Port: DeliveryPort {
        private let received = Mutex<[String]>([])

        func deliver(_ batch: [Delivery]) {
            let events = batch.compactMap { delivery -> String? in
                guard case .published(let room, let event) = delivery,
                    case .push(_, .publication(let publication))? = try? ServerMessage.decode(event.json).first
                else { return nil }
                return "\(room) \(publication.offset)"
            }
            received.withLock { $0 += events }
        }

        var events: [String] { received.withLock(\.self) }
    }

    let id: NodeID
    let folder: String
    let port = Port()
    let engine: ChatEngine
    let replica: Replica<Outcome>
    private let log: MemoryLogConnection
    private let bus: MemoryBusConnection
    private let journal: DiskLog<Outcome>
    private let box: EngineBox

    /// Receives the engine, which is created after what feeds it.
    private final class EngineBox: Sendable {
        let engine = Mutex<ChatEngine?>(nil)
        let failure = Mutex<ReplicaFailure?>(nil)
    }

    init(_ name: String, start: UInt64, folder: String, _ log: MemoryLog, _ bus: MemoryBus) throws {
        id = node(name, start: start)
        self.folder = folder
        self.log = log.connect()
        self.bus = bus.connect()
        let journalQueue = DispatchQueue(label: "journal \(name)")
        journal = try DiskLog(
            folder: folder, queue: journalQueue, options: JournalOptions(), observer: JournalObserver()
        ) { _ in }
        let box = EngineBox()
        self.box = box
        let clock: @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
        replica = Replica(
            node: id, cluster: cluster, queue: DispatchQueue(label: "replica \(name)"), store: self.log, bus: self.bus,
            hooks: .init(
                apply: { frames, done in
                    box.engine.withLock(\.self)?.follow(frames) { result in
                        if case .success = result { done(true) } else { done(false) }
                    }
                },
                termBegan: { _ in },
                failed: { failure in box.failure.withLock { $0 = failure } }),
            clock: clock)
        let node = id
        let replicated = replica.makeLog(journal: journal) { outcome in
            LogFrame.Tag(origin: node, serial: outcome.frame, id: outcome.freshID)
        }
        let publisher = Publisher(
            queue: journalQueue, ports: [port], rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance)
        engine = ChatEngine(
            log: replicated, publisher: publisher, ports: [port], settings: ChatSettings(),
            metrics: NOOPMetricsHandler.instance, clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
        box.engine.withLock { $0 = engine }
        try engine.restore()
        replica.start(replicated, after: journal.lastSequence)
    }

    /// Why the node left the cluster.
    var failure: ReplicaFailure? { box.failure.withLock(\.self) }
    var isWriter: Bool { replica.role == .writer }

    /// Ends the node's contact with all others, in both directions.
    func setCut(_ isCut: Bool) {
        log.isCut.store(isCut, ordering: .relaxed)
        bus.isCut.store(isCut, ordering: .relaxed)
    }

    /// Ends the node as a crash does.
    func kill() {
        setCut(true)
        replica.stop()
    }

    /// Runs a command, and calls back with its answer.
    func change(_ change: some Change, as user: UserID, _ done: @escaping @Sendable (Answer) -> Void = { _ in }) {
        engine.change(change, as: .user(user), answerTo: ReturnAddress { done($0) })
    }

    func attach(_ user: UserID) {
        engine.attach(
            AttachRequest(
                connection: ConnectionID(loop: 0, serial: 1), command: 1,
                identity: Identity(user: user, validFor: nil), subscribe: .joined, positions: [:]))
    }

    /// The state that the node's own journal leads to, in bytes. Read it while nothing is appended.
    func state() throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try ReadOnlyJournal(folder: folder).state { _ in }.parts { part throws(EncodingFailure) in
            guard let piece = StateCoder.encode(part) else { throw EncodingFailure() }
            pieces.append(piece)
        }
        return pieces
    }

    private struct EncodingFailure: Error {}
}
