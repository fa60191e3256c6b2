import Glibc
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import Journal

/// The guarantee: acknowledged frames survive every failure, each once and in order.
@Suite struct DiskLogTests {
    @Test func `appended records are read back after a clean close`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk)
        for _ in 1...100 {
            try shelf.append()
            shelf.settle()
        }
        shelf.close()
        #expect(shelf.acknowledged == Array(1...100))
        let again = try Shelf(disk)
        #expect(!again.log.report.wasUnclean)
        #expect(again.log.report.cut == nil)
        #expect(again.log.report.segments.count > 3)
        #expect(try again.kept() == Array(1...100))
        #expect(again.log.lastSequence == 100)
    }

    @Test func `queued frames share a sync and are delivered in order, marks included`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        let before = disk.operations
        shelf.queue.suspend()
        for _ in 1...50 { try shelf.append() }
        shelf.log.mark(1_000)
        try shelf.append()
        #expect(!shelf.log.isSynced)
        shelf.queue.resume()
        shelf.settle()
        #expect(shelf.acknowledged == Array(1...50) + [1_000, 51])
        #expect(shelf.log.isSynced)
        // One write and one sync.
        #expect(disk.operations - before == 2)
    }

    @Test func `frames of a group are written once the group is complete, and share a sync`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        let before = disk.operations
        shelf.log.batch {
            for _ in 1...5 {
                do { try shelf.append() } catch { Issue.record(error) }
                shelf.settle()
            }
            shelf.log.mark(1_000)
            shelf.settle()
            #expect(!shelf.log.isSynced)
            #expect(shelf.acknowledged == [] && disk.operations == before)
        }
        shelf.settle()
        #expect(shelf.log.isSynced)
        #expect(shelf.acknowledged == Array(1...5) + [1_000])
        // One write and one sync.
        #expect(disk.operations - before == 2)
        try shelf.append()
        shelf.settle()
        #expect(shelf.acknowledged.last == 6)
    }

    @Test
    func `a group that starts during another write is written separately, once it is complete`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        shelf.queue.suspend()
        try shelf.append()
        shelf.log.batch {
            do { try shelf.append() } catch { Issue.record(error) }
            shelf.queue.resume()
            shelf.settle()
            #expect(shelf.acknowledged == [1])
        }
        shelf.settle()
        #expect(shelf.acknowledged == [1, 2])
    }

    @Test func `once the disk has proven fast, the caller writes its own batch`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        func group() throws {
            shelf.log.batch(isFlushedByCaller: true) {
                do { try shelf.append() } catch { Issue.record(error) }
            }
        }
        // Nothing is known about the disk yet.
        try group()
        shelf.log.flush()
        shelf.settle()
        #expect(shelf.acknowledged == [1])
        try group()
        #expect(!shelf.log.isSynced)
        shelf.settle()
        #expect(shelf.acknowledged == [1])
        shelf.log.flush()
        #expect(shelf.acknowledged == [1, 2] && shelf.log.isSynced)
        shelf.log.flush()
        #expect(shelf.acknowledged == [1, 2])
    }

    @Test func `frames that follow a batch left to a caller are written in order`() throws {
        let shelf = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 65_536)
        try shelf.append()
        shelf.settle()
        shelf.log.batch(isFlushedByCaller: true) {
            do { try shelf.append() } catch { Issue.record(error) }
        }
        try shelf.append()
        shelf.log.mark(1_000)
        shelf.settle()
        #expect(shelf.acknowledged == [1])
        shelf.log.flush()
        shelf.settle()
        #expect(shelf.acknowledged == [1, 2, 3, 1_000])
    }

    @Test func `notes added while a caller writes are delivered as well`() throws {
        let shelf = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 65_536)
        try shelf.append()
        shelf.settle()
        let heard = Mutex<[UInt64]>([])
        shelf.log.follow { [log = shelf.log] notes in
            heard.withLock { $0 += notes }
            if notes == [2] { log.mark(1_000) }
        }
        shelf.log.batch(isFlushedByCaller: true) {
            do { try shelf.append() } catch { Issue.record(error) }
        }
        shelf.log.flush()
        shelf.settle()
        #expect(heard.withLock(\.self) == [2, 1_000] && shelf.log.isSynced)
    }

    @Test func `a caller does not write when a segment is due, or the batch is large`() throws {
        let shelf = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 1_024)
        var isLeft: [Bool] = []
        for _ in 1...60 {
            shelf.log.batch(isFlushedByCaller: true) {
                do { try shelf.append() } catch { Issue.record(error) }
            }
            shelf.settle()
            isLeft.append(!shelf.log.isSynced)
            shelf.log.flush()
            shelf.settle()
        }
        #expect(shelf.acknowledged == Array(1...60))
        #expect(isLeft.contains(true) && isLeft.dropFirst().contains(false))
    }

    @Test func `after one slow write, callers do not write for a while`() {
        var pace = WritePace()
        #expect(!pace.isQuick)
        pace.record(100_000)
        #expect(pace.isQuick)
        pace.record(3 * WritePace.quickNanoseconds)
        var count = 0
        while !pace.isQuick, count < 1_000 {
            pace.record(100_000)
            count += 1
        }
        #expect((32...256).contains(count))
    }

    /// Regression: an engine that was never idle held back every response until it was.
    @Test func `each batch is acknowledged by the time the next one runs, even without a pause between them`() throws {
        let shelf = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 65_536)
        shelf.queue.suspend()
        for batch in 1...10 {
            shelf.log.batch {
                if batch > 1 {
                    // The queue runs only during the next batch.
                    shelf.queue.resume()
                    shelf.settle()
                    shelf.queue.suspend()
                    #expect(shelf.acknowledged == (1...UInt64(2 * (batch - 1))).map { $0 })
                }
                for _ in 1...2 { do { try shelf.append() } catch { Issue.record(error) } }
            }
        }
        shelf.queue.resume()
        shelf.settle()
        #expect(shelf.acknowledged == Array(1...20))
    }

    @Test func `a reopened journal continues with the next number`() throws {
        let disk = SimulatedDisk(seed: 1)
        for round in 1...5 {
            let shelf = try Shelf(disk, seed: UInt64(round))
            #expect(try shelf.kept().count == (round - 1) * 3)
            for _ in 1...3 { try shelf.append() }
            shelf.close()
        }
    }

    @Test func `reading from a frame number skips all earlier frames`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk)
        for _ in 1...60 {
            try shelf.append()
            shelf.settle()
        }
        shelf.close()
        var numbers: [UInt64] = []
        try Shelf(disk).log.read(from: 41) { number, _ in numbers.append(number) }
        #expect(numbers == Array(41...60))
    }

    /// A power failure at any operation, followed by as many restarts.
    @Test(arguments: 1...60) func `a power failure loses no acknowledged frame`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var disk = SimulatedDisk(seed: seed)
        var acknowledged = 0
        for life in 1...6 {
            disk.fail(disk.operations + Int.random(in: 1...60, using: &random))
            if let shelf = try? Shelf(disk, seed: seed &* 31 &+ UInt64(life)) {
                let kept = try? shelf.kept().count
                if let kept { #expect(kept >= acknowledged, "seed \(seed), life \(life)") }
                for _ in 1...Int.random(in: 1...30, using: &random) {
                    try shelf.append()
                    if random.chance(3) { shelf.settle() }
                }
                if random.chance(4) { shelf.close() }
                shelf.settle()
                // Numbers have no gaps, so the last acknowledged number is the count.
                acknowledged = max(acknowledged, Int(shelf.acknowledged.last ?? 0))
            }
            disk = random.chance(3) ? disk.killed() : disk.crashed()
        }
        let last = try Shelf(disk, seed: seed)
        #expect(try last.kept().count >= acknowledged, "seed \(seed)")
    }

    @Test func `acknowledged frames survive the failure of any operation, which is reported once`() throws {
        var operation = 1
        while true {
            let disk = SimulatedDisk(seed: UInt64(operation))
            disk.fail(operation)
            let shelf: Shelf
            do {
                shelf = try Shelf(disk)
            } catch {
                guard case JournalError.disk = error else { throw error }
                operation += 1
                continue
            }
            for _ in 1...40 {
                try shelf.append()
                shelf.settle()
            }
            shelf.close()
            let acknowledged = shelf.acknowledged
            #expect(acknowledged == Array(1..<UInt64(acknowledged.count + 1)))
            if disk.operations < operation { break }
            // Only the creation of a spare segment may fail without harm.
            if acknowledged.count < 40 { #expect(shelf.errors.count == 1, "operation \(operation)") }
            for next in [disk.crashed(), disk.killed()] {
                #expect(try Shelf(next).kept().starts(with: acknowledged), "operation \(operation)")
            }
            operation += 1
        }
        #expect(operation > 100)
    }

    @Test func `after a failed sync nothing more is acknowledged, even if the disk works again`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        try shelf.append()
        shelf.settle()
        // The write succeeds and its sync fails.
        disk.fail(disk.operations + 2, isPermanent: false)
        try shelf.append()
        shelf.settle()
        #expect(try shelf.append() == nil)
        shelf.log.mark(99)
        shelf.close()
        #expect(shelf.acknowledged == [1])
        #expect(shelf.errors.map(\.operation) == ["fdatasync"])
        #expect(!shelf.log.isSynced)
    }

    @Test func `a frame reserved before a failure is not acknowledged after it`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536)
        try shelf.append()
        shelf.settle()
        guard let held = shelf.log.reserve() else { throw JournalError.damagedHeader(segment: "no space") }
        disk.fail(disk.operations + 2, isPermanent: false)
        try shelf.append()
        shelf.settle()
        shelf.log.append(try records(3), expecting: 3, note: 3, in: held)
        shelf.close()
        #expect(shelf.acknowledged == [1])
    }

    @Test func `without space nothing is accepted and nothing lost, and writing resumes once there is space`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 4_096)
        disk.setCapacity(5_000)
        var taken = 0
        while try shelf.append() != nil {
            taken += 1
            shelf.settle()
        }
        #expect(taken > 10)
        #expect(shelf.acknowledged.count == taken)
        #expect(shelf.errors.isEmpty)
        #expect(shelf.log.isSynced)
        disk.setCapacity(.max)
        var tries = 0
        while try shelf.append() == nil, tries < 5_000 {
            tries += 1
            usleep(1_000)
        }
        shelf.close()
        #expect(shelf.acknowledged == Array(1...UInt64(taken + 1)))
        #expect(try Shelf(disk).kept().count == taken + 1)
    }

    @Test func `a frame larger than a segment gets its own segment`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 128)
        for _ in 1...20 {
            while try shelf.append() == nil { usleep(1_000) }
            shelf.settle()
        }
        shelf.close()
        #expect(try Shelf(disk).kept() == Array(1...20))
    }

    @Test func `too many pending frames are refused, and accepted again once some are written`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk, segmentBytes: 65_536, pendingFrames: 3)
        shelf.queue.suspend()
        #expect(try [1, 2, 3].map { _ in try shelf.append() } == [1, 2, 3])
        #expect(try shelf.append() == nil)
        shelf.queue.resume()
        shelf.settle()
        #expect(try shelf.append() == 4)
    }

    @Test
    func `when space runs low users are refused first, then everybody, and all are accepted again later`() throws {
        let log = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 65_536).log
        func admitted() -> [Bool] {
            [false, true].map { isForServer in
                guard let reservation = log.reserve(isForServer: isForServer) else { return false }
                log.cancel(reservation)
                return true
            }
        }
        for (suspended, expected) in [
            (.nobody, [true, true]), (.users, [false, true]), (.everybody, [false, false]), (.users, [false, true]),
            (.nobody, [true, true]),
        ] as [(SuspendedCallers, [Bool])] {
            log.suspendReservations(of: suspended)
            #expect(admitted() == expected)
        }
    }

    @Test func `a returned reservation is available to another frame`() throws {
        let shelf = try Shelf(SimulatedDisk(seed: 1), segmentBytes: 65_536, pendingFrames: 1)
        if let first = shelf.log.reserve() {
            let isFull = shelf.log.reserve() == nil
            #expect(isFull)
            shelf.log.cancel(first)
        }
        #expect(try shelf.append() == 1)
    }
}
