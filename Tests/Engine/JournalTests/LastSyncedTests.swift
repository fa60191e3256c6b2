import Dispatch
import Foundation
import Journal
import Simulation
import Synchronization
import Testing

@Suite struct LastSyncedTests {
    /// Delayed work, which the test runs.
    private final class Waiting: Sendable {
        private let bodies = Mutex<[@Sendable () -> Void]>([])

        func add(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

        func run() {
            for body in bodies.withLock({ bodies in
                defer { bodies = [] }
                return bodies
            }) { body() }
        }
    }

    @Test(arguments: [(.fsync, 3), (.interval, 0), (.none, 3)] as [(Durability, UInt64)])
    func `a frame is durable once it is synced, or written if nothing is ever synced`(
        durability: Durability, written: UInt64
    ) throws {
        let disk = SimulatedDisk(seed: 1)
        let queue = DispatchQueue(label: "journal")
        let waiting = Waiting()
        var options = JournalOptions()
        options.segmentBytes = 65_536
        options.durability = durability
        let log = try DiskLog<UInt64>(
            disk, queue: queue, options: options, salts: SplitMix(seed: 1), later: { _, body in waiting.add(body) }
        ) { _ in }
        #expect(log.lastSynced == 0)
        for number in 1...3 as ClosedRange<UInt64> {
            guard let reservation = log.reserve() else { throw CocoaError(.fileWriteOutOfSpace) }
            log.append(try records(number), expecting: number, note: number, in: reservation)
            queue.sync {}
        }
        #expect(log.lastSynced == written)
        queue.sync { waiting.run() }
        #expect(log.lastSynced == 3)
        let again = try Shelf(disk.killed(), durability: durability)
        #expect(again.log.lastSynced == again.log.lastSequence)
    }
}
