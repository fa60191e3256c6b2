import API
import ChatDomain
import ChatEngine
import ChatModel
import Cluster
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
package final class ChatNode: Sendable {
    /// What reached the node's connections: rooms and offsets of events, and that they are attached.
    package final class Port: DeliveryPort {
        private let received = Mutex<[String]>([])

        package func deliver(_ batch: [Delivery]) {
            let events = batch.compactMap { delivery -> String? in
                switch delivery {
                case .attached: return "attached"
                case .published(let room, let event):
                    guard case .push(_, .publication(let publication))? = try? ServerMessage.decode(event.json).first
                    else { return nil }
                    return "\(room) \(publication.offset)"
                default: return nil
                }
            }
            received.withLock { $0 += events }
        }

        package var events: [String] { received.withLock(\.self) }
    }

    package let id: NodeID
    package let port = Port()
    private let folder: String
    private let engine: ChatEngine
    private let node: ClusterNode
    private let cut: @Sendable (Bool) -> Void
    private let journal: DiskLog<Outcome>
    private let box: Failure

    private final class Failure: Sendable {
        let failure = Mutex<ReplicaFailure?>(nil)
    }

    /// - Parameters:
    ///   - folder: The folder of the journal; created if missing.
    ///   - cut: Ends or restores the contact with all others, in both directions.
    package init(
        _ id: NodeID, of cluster: String, folder: String, store: any LogStore, bus: any Bus,
        cut: @escaping @Sendable (Bool) -> Void
    ) throws {
        self.id = id
        self.folder = folder
        self.cut = cut
        let journalQueue = DispatchQueue(label: "journal \(id)")
        journal = try DiskLog(
            folder: folder, queue: journalQueue, options: JournalOptions(), observer: JournalObserver()
        ) { _ in }
        let box = Failure()
        self.box = box
        node = ClusterNode(id, of: cluster, journal: journal, store: store, bus: bus) { failure in
            box.failure.withLock { $0 = failure }
        }
        let publisher = Publisher(
            queue: journalQueue, ports: [port], rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance)
        engine = ChatEngine(
            log: node.log, publisher: publisher, ports: [port], settings: ChatSettings(),
            metrics: NOOPMetricsHandler.instance, clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
        engine.join(node)
        try engine.restore()
        let commands = CommandTable(engine: engine)
        node.start(
            engine,
            .init(
                execute: { commands.execute($0, answerTo: ReturnAddress($1, guestOrigin: $0.guestOrigin)) },
                hear: { commands.hear($0) }))
    }

    /// Why the node left the cluster.
    package var failure: ReplicaFailure? { box.failure.withLock(\.self) }
    package var isWriter: Bool { node.isWriter }

    package var status: ReplicaStatus { node.status }

    /// Hands over to another node, as in an orderly stop.
    package func handOver(_ done: @escaping @Sendable () -> Void) { node.handOver(done) }

    package func setCut(_ isCut: Bool) { cut(isCut) }

    /// Ends the node as a crash does.
    package func kill() {
        setCut(true)
        node.stop()
    }

    /// Runs a command, and calls back with its answer.
    package func change(_ change: some Change, as user: UserID, _ done: @escaping @Sendable (Answer) -> Void = { _ in })
    {
        engine.change(change, as: .user(user), answerTo: ReturnAddress { done($0) })
    }

    /// Runs a command of the app's backend.
    package func change(server change: some Change, _ done: @escaping @Sendable (Answer) -> Void) {
        engine.change(change, as: .server, answerTo: ReturnAddress { done($0) })
    }

    /// Repeats deletions that the node's ledger knows, and calls back when all nodes know them.
    package func repeatErasures(_ known: [ErasedUser], _ done: @escaping @Sendable () -> Void) {
        engine.repeatErasures(known, done)
    }

    /// Runs a query as an HTTP request does, and calls back with its answer.
    package func query(_ query: some Query, as user: UserID, _ done: @escaping @Sendable (Answer) -> Void) {
        engine.query(query, as: .user(user), answerTo: ReturnAddress { done($0) })
    }

    package func signal(_ signal: some Signal, as user: UserID) {
        engine.signal(signal, as: .user(user), answerTo: ReturnAddress { _ in })
    }

    package func attach(_ user: UserID) {
        engine.attach(
            AttachRequest(
                connection: ConnectionID(loop: 0, serial: 1), command: 1,
                identity: Identity(user: user, validFor: nil), subscribe: .joined, positions: [:]))
    }

    /// The user's connection closes.
    package func detach(_ user: UserID) { engine.detach(user, on: 0) }

    /// The state that the node's own journal leads to, in bytes. Read it while nothing is appended.
    package func state() throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try ReadOnlyJournal(folder: folder).state { _ in }.parts { part throws(EncodingFailure) in
            guard let piece = StateCoder.encode(part) else { throw EncodingFailure() }
            pieces.append(piece)
        }
        return pieces
    }

    private struct EncodingFailure: Error {}
}
