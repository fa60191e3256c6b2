import Gateway
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

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        store = SimulatedLogStore(timeline: timeline, seed: seed)
        bus = SimulatedBus(timeline: timeline, seed: seed &+ 1 << 40)
        _ = store.append(WrittenLog().entries[0].message, expecting: 0, id: "genesis")
        nodes = ["ann", "bob", "cid"].map(start)
    }

    private func start(_ name: String) -> ClusterNode {
        starts += 1
        let process = ClusterNode(node(name, start: starts), timeline, store, bus)
        processes.append(process)
        return process
    }

    /// Ends a node's process if it still runs, and starts another.
    func restart(_ index: Int) {
        nodes[index].kill()
        nodes[index] = start(nodes[index].id.name)
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
            let size = random.pick([0, 10, 10, 100, 2_000])
            process.submit(frame(serial, random.bytes(size), by: process.id))
        }
    }

    func run(milliseconds: Int) {
        for _ in 0..<milliseconds / 10 {
            timeline.run(milliseconds: 10)
            if random.chance(percent: 40) { write() }
            for index in nodes.indices where nodes[index].mustEnd { restart(index) }
        }
    }

    /// Runs until there is one writer and a command sent after the call is acknowledged by it.
    ///
    /// - Returns: How long this took in milliseconds; `nil` if longer than the limit.
    func timeToWrite(limit: Int) -> Int? {
        let known = serial
        for elapsed in 0..<limit {
            if let writer, nodes[writer].acknowledged.contains(where: { $0 > known }) { return elapsed }
            timeline.run(milliseconds: 1)
            if elapsed % 5 == 0 { write() }
        }
        return nil
    }

    /// Ends all faults.
    func heal() {
        store.faults = .none
        bus.faults = .none
        reconnect()
    }

    /// Lets every node run and reach the others and the store.
    func reconnect() {
        store.isAvailable = true
        for index in nodes.indices {
            nodes[index].setCut(false)
            nodes[index].setSide(0)
            nodes[index].resume()
            if nodes[index].mustEnd { restart(index) }
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
        let acknowledged = processes.flatMap(\.acknowledged)
        #expect(Set(acknowledged).count == acknowledged.count, "seed \(seed): a frame is acknowledged twice")
        #expect(Set(acknowledged).isSubset(of: serials), "seed \(seed): an acknowledged frame is lost")
        for process in processes {
            #expect(process.failure == nil, "seed \(seed)")
            let isPrefix = log.starts(with: process.frames)
            #expect(isPrefix, "seed \(seed): \(process.id) applied other frames")
        }
    }
}
