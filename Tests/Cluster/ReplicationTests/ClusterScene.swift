import Gateway
import Records
import Simulation
import TestSupport
import Testing

@testable import Replication

/// Three simulated nodes with a log store and a bus, and clients that write all the time.
final class ClusterScene {
    let timeline = Timeline()
    let store: SimulatedLogStore
    let bus: SimulatedBus
    var random: SeededGenerator
    private(set) var nodes: [ClusterNode] = []
    /// Also those that have ended.
    private(set) var processes: [ClusterNode] = []
    private var serial: UInt64 = 0
    private var starts: UInt64 = 0
    private let seed: UInt64
    /// How far each node's wall clock is ahead, in milliseconds.
    private let clockOffsets: [String: Int64]

    /// The newest record version that each node's processes read from their next start on; by default this build's.
    var recordVersions: [String: UInt32]

    private let messageLimit: Int
    private let policy: TrimPolicy?

    /// - Parameters:
    ///   - messageLimit: The greatest size of a message in bytes; small, so that large frames travel in parts.
    ///   - policy: When the log is trimmed; `nil` for never.
    init(
        seed: UInt64, clockOffsets: [String: Int64] = [:], messageLimit: Int = 1_000,
        recordVersions: [String: UInt32] = [:], trimming policy: TrimPolicy? = nil
    ) throws {
        (self.seed, self.clockOffsets, self.messageLimit) = (seed, clockOffsets, messageLimit)
        self.recordVersions = recordVersions
        self.policy = policy
        random = SeededGenerator(seed: seed)
        store = SimulatedLogStore(timeline: timeline, seed: seed)
        bus = SimulatedBus(timeline: timeline, seed: seed &+ 1 << 40)
        _ = store.append(WrittenLog().entries[0].message, expecting: 0, id: "genesis")
        nodes = try ["ann", "bob", "cid"].map { try start($0) }
    }

    deinit {
        for process in processes { process.kill() }
    }

    /// Starts a process, also beside one of the same name.
    func start(_ name: String, after predecessor: ClusterNode? = nil) throws -> ClusterNode {
        starts += 1
        let process = try ClusterNode(
            node(name, start: starts), timeline, store, bus, seed: seed &+ starts << 32,
            clockOffset: clockOffsets[name] ?? 0, recordVersion: recordVersions[name] ?? RecordCoder.version,
            messageLimit: messageLimit, trimming: policy, after: predecessor)
        processes.append(process)
        return process
    }

    /// Ends a node's process if it still runs, and starts another.
    func restart(_ index: Int) throws {
        nodes[index].kill()
        nodes[index] = try start(nodes[index].id.name, after: nodes[index])
    }

    /// The index of the node that is the writer; `nil` if there is none or more than one.
    var writer: Int? {
        let writers = nodes.indices.filter { nodes[$0].isWriter && !nodes[$0].isStopped }
        return writers.count == 1 ? writers[0] : nil
    }

    /// Lets a client of each writer send a message.
    func write() {
        for process in nodes where process.isWriter {
            serial += 1
            process.submit(serial, bytes: random.pick([0, 0, 0, 20, 1_700]))
        }
    }

    func run(milliseconds: Int) throws {
        for _ in 0..<milliseconds / 10 {
            timeline.run(milliseconds: 10)
            if random.chance(percent: 40) { write() }
            for index in nodes.indices where nodes[index].mustEnd { try restart(index) }
        }
    }

    /// Runs until there is one writer and a command sent after the call is acknowledged by it.
    ///
    /// - Returns: How long this took in milliseconds; `nil` if longer than the limit.
    func timeToWrite(limit: Int) throws -> Int? {
        let known = serial
        for elapsed in 0..<limit {
            if let writer, nodes[writer].engine.acknowledged.last ?? 0 > known { return elapsed }
            timeline.run(milliseconds: 1)
            if elapsed % 5 == 0 { write() }
            for index in nodes.indices where nodes[index].mustEnd { try restart(index) }
        }
        return nil
    }

    /// Ends all faults.
    func heal() throws {
        store.faults = .none
        bus.faults = .none
        try reconnect()
    }

    /// Lets every node run and reach the others and the store.
    func reconnect() throws {
        store.isAvailable = true
        for index in nodes.indices {
            nodes[index].setCut(false)
            nodes[index].setSide(0)
            nodes[index].resume()
            if nodes[index].mustEnd { try restart(index) }
        }
    }

    /// Checks what must be true at any time.
    func check(_ seed: UInt64) throws {
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var log: [NumberedFrame] = []
        var writers: [UInt64: NodeID] = [:]
        for entry in store.entries {
            log += try reader.receive(entry).compactMap(\.frame)
            let message = try LogMessage(entry.message)
            #expect(message.writer == writers[message.term] ?? message.writer, "seed \(seed)")
            writers[message.term] = message.writer
        }
        let serials = log.map(\.frame.tag.serial)
        #expect(Set(serials).count == serials.count, "seed \(seed): a frame is in the log twice")
        let acknowledged = processes.flatMap(\.engine.acknowledged)
        #expect(Set(acknowledged).count == acknowledged.count, "seed \(seed): a frame is acknowledged twice")
        #expect(Set(acknowledged).isSubset(of: serials), "seed \(seed): an acknowledged frame is lost")
        for process in processes {
            if let failure = process.failure {
                guard case .deposed = failure else {
                    Issue.record("seed \(seed): \(process.id) left: \(failure)")
                    continue
                }
            }
            let isPrefix = serials.starts(with: process.engine.journaled)
            #expect(isPrefix, "seed \(seed): the journal of \(process.id) has other frames")
        }
    }

    /// Checks that the disks contain what the nodes think.
    func checkDisks() throws {
        for process in nodes {
            let isSame = try process.recovered() == process.engine.journaled
            #expect(isSame, "seed \(seed): \(process.id) has other frames on its disk")
        }
    }
}
