import ChatModel
import Dispatch
import Gateway
import Journal
import Simulation
import TestSupport

@testable import Replication

/// A process of a simulated cluster: a replica with its log, its journal and an engine.
///
/// Confined to the test's thread, which stands in for the node's queues. The journal's queue is suspended except while the
/// test waits for it.
final class ClusterNode: @unchecked Sendable {
    let id: NodeID
    let replica: Replica<ClusterEngine.Note>
    let log: ReplicatedLog<ClusterEngine.Note>
    let engine: ClusterEngine
    /// A stopped process neither runs nor ends. What arrives waits.
    private(set) var isStopped = false
    /// Whether the process has handed over and may end.
    private(set) var isReleased = false

    private let timeline: Timeline
    private let disk: SimulatedDisk
    /// The disk as the next process finds it, once this one is killed.
    private var remains: SimulatedDisk?
    private let store: SimulatedLogConnection
    private let bus: SimulatedBusConnection
    /// For the replica, for the engine, and for what waits for the disk.
    private let queues: [SimulatedQueue]
    private let journalQueue = DispatchQueue(label: "journal")
    private let journal: DiskLog<ClusterEngine.Note>
    private let failures: Failures
    private let clockOffset: Offset
    private var random: SeededGenerator
    private var isWriting = false
    private var hasEnded = false

    /// Confined to the test's thread, which stands in for the replica's queue.
    private final class Failures: @unchecked Sendable {
        var first: ReplicaFailure?
    }

    /// Confined to the test's thread, which stands in for the replica's queue.
    private final class Itself: @unchecked Sendable {
        weak var replica: Replica<ClusterEngine.Note>?
    }

    /// How far the process's wall clock is ahead. Confined to the test's thread.
    private final class Offset: @unchecked Sendable {
        var milliseconds: Int64

        init(_ milliseconds: Int64) { self.milliseconds = milliseconds }
    }

    /// - Parameters:
    ///   - clockOffset: How far the process's wall clock is ahead, in milliseconds.
    ///   - recordVersion: The newest version of records that the process reads.
    ///   - predecessor: A killed process whose disk this one finds.
    init(
        _ id: NodeID, _ timeline: Timeline, _ store: SimulatedLogStore, _ bus: SimulatedBus, seed: UInt64,
        clockOffset: Int64 = 0, recordVersion: UInt32, messageLimit: Int, trimming policy: TrimPolicy? = nil,
        after predecessor: ClusterNode? = nil
    ) throws {
        self.id = id
        self.timeline = timeline
        random = SeededGenerator(seed: seed)
        queues = (0..<3).map { _ in SimulatedQueue(timeline: timeline) }
        (self.store, self.bus) = (store.connect(), bus.connect())
        disk = predecessor?.remains ?? SimulatedDisk(seed: seed)
        journal = try Self.open(disk, queues[2], journalQueue, seed)
        let last = Int(journal.lastSequence)
        let engine = ClusterEngine(queues[1], journaled: Array((predecessor?.engine.journaled ?? []).prefix(last)))
        let failures = Failures()
        let offset = Offset(clockOffset)
        let itself = Itself()
        (self.engine, self.failures, self.clockOffset) = (engine, failures, offset)
        replica = Replica(
            node: id, cluster: cluster, queue: queues[0], store: self.store, bus: self.bus,
            hooks: .init(
                apply: { engine.follow($0, $1) },
                failed: { failures.first = $0 },
                late: { engine.receiveLate($0) },
                clockOff: { itself.replica?.handOver { _ in } }),
            facts: NodeBeat.Facts(recordVersion: recordVersion), trimming: policy, clock: { timeline.now },
            wallClock: { timeline.now + offset.milliseconds })
        itself.replica = replica
        log = replica.makeLog(journal: journal, messageLimit: messageLimit) { note in
            LogFrame.Tag(origin: id, serial: note.serial, id: MessageID(high: note.serial, low: ~note.serial))
        }
        engine.follow(log)
        journalQueue.suspend()
        for queue in queues {
            queue.around = { [unowned self] body in
                // Writing on the test's thread costs no change of threads.
                self.journal.batch(isFlushedByCaller: true, body)
                self.write()
            }
        }
        replica.start(log, after: engine.applied)
    }

    private static func open(
        _ disk: SimulatedDisk, _ waiting: SimulatedQueue, _ queue: DispatchQueue, _ seed: UInt64
    ) throws -> DiskLog<ClusterEngine.Note> {
        var options = JournalOptions()
        options.segmentBytes = 65_536
        return try DiskLog(
            disk, queue: queue, options: options, salts: SplitMix(seed: seed),
            later: { milliseconds, body in
                waiting.after(milliseconds: milliseconds) { queue.async(execute: body) }
            },
            failed: { preconditionFailure("the disk has no faults: \($0)") })
    }

    var failure: ReplicaFailure? { failures.first }
    var role: Election.Role { replica.election.role }
    var isWriter: Bool {
        replica.isLeading && role == .writer && failure == nil && !hasEnded && !replica.election.isHandingOver
    }
    /// Whether the process is about to end.
    var mustEnd: Bool { failure != nil || isReleased }

    // MARK: The process

    /// Ends the process without notice.
    func kill() {
        guard !hasEnded else { return }
        hasEnded = true
        for queue in queues { queue.end() }
        store.close()
        bus.close()
        engine.close()
        remains = disk.killed()
        // A queue must not be released while it is suspended. What still waits is written to a disk that nobody reads.
        journalQueue.resume()
        journalQueue.sync {}
        // These refer to the replica.
        (replica.subscriptions, replica.writerSubscription, replica.nameSubscription) = ([], nil, nil)
    }

    func stop() {
        isStopped = true
        for queue in queues { queue.stop() }
    }

    func resume() {
        isStopped = false
        for queue in queues { queue.resume() }
    }

    /// Cuts the node off from the store and the bus.
    func setCut(_ isCut: Bool) {
        store.isCut = isCut
        bus.isCut = isCut
    }

    func setClock(ahead milliseconds: Int64) { clockOffset.milliseconds = milliseconds }

    func setStoreCut(_ isCut: Bool) { store.isCut = isCut }

    func setSide(_ side: Int) { bus.side = side }

    /// Sends a command to the engine, unless the process is stopped.
    func submit(_ serial: UInt64, bytes: Int) {
        if !isStopped, !hasEnded { engine.submit(serial, bytes: bytes) }
    }

    func handOver() {
        replica.handOver { [weak self] _ in self?.isReleased = true }
    }

    // MARK: The disk

    /// Lets the journal write, a moment after something was appended.
    private func write() {
        guard !isWriting, !hasEnded, !journal.isSynced else { return }
        isWriting = true
        queues[2].after(milliseconds: random.below(3)) { [self] in
            isWriting = false
            let queue = journalQueue
            queue.resume()
            journal.flush()
            // Takes effect before anything that arrives meanwhile.
            queue.sync { queue.suspend() }
        }
    }

    /// The serials of the frames that a later process would find on the disk.
    func recovered() throws -> [UInt64] {
        let log = try Self.open(disk.killed(), queues[2], DispatchQueue(label: "look"), 1)
        var serials: [UInt64] = []
        try log.read(from: 1) { _, records in serials.append(UInt64(records.first?.at ?? 0)) }
        return serials
    }
}
