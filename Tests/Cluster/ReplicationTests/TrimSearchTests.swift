import TestSupport
import Testing

@testable import Replication

@Suite struct TrimSearchTests {
    private static let hour: Int64 = 3_600_000
    private static let day = TrimPolicy(keep: 24 * hour)
    private static let atOnce = TrimPolicy(keep: 0)

    /// - Parameter ages: Of the messages in milliseconds, the oldest first.
    /// - Returns: The first message that stays, and how many were read.
    private static func search(
        _ log: WrittenLog, ages: [Int64], _ progress: TrimProgress, _ policy: TrimPolicy, bytes: UInt64 = 0,
        limit: UInt64? = nil, first: UInt64 = 1
    ) throws -> (number: UInt64, reads: Int) {
        let now: Int64 = 1_800_000_000_000
        let usage = LogUsage(
            bounds: LogBounds(first: first, last: UInt64(log.entries.count)), bytes: bytes, byteLimit: limit)
        var search = TrimSearch(usage, progress, policy, at: now)
        var reads = 0
        while case .examine(let number) = search.next {
            reads += 1
            let index = Int(number) - 1
            search.receive(
                try LogMessage(log.entries[index].message), number: number, storedAt: now - ages[index])
        }
        guard case .found(let number) = search.next else { return (0, reads) }
        return (number, reads)
    }

    /// A log with a genesis, the start of a term, and a batch for each frame.
    private static func log(_ count: Int) -> WrittenLog {
        var log = WrittenLog()
        log.append((1...UInt64(count)).map { frame($0, [UInt8](repeating: 1, count: 700)) })
        return log
    }

    /// - Parameter frame: What all nodes have.
    private static func all(_ frame: UInt64) -> TrimProgress {
        TrimProgress(mirrored: frame, everywhere: frame, read: .max)
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `nodes that have what was promised can follow what is left of the log`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = LogReaderTests.makeLog(&random)
        let last = Int(log.end.lastFrame)
        let counts = [random.below(last + 1), random.below(last + 1)].sorted().map { UInt64($0) }
        var ages = log.entries.map { _ in Int64(random.below(48)) * Self.hour }.sorted(by: >)
        if random.chance(3) { ages = ages.map { _ in 0 } }
        let progress = TrimProgress(
            mirrored: counts[1], everywhere: counts[0], read: UInt64(random.below(log.entries.count + 1)))
        let policy = TrimPolicy(keep: Int64(random.below(48)) * Self.hour)
        let isFull = random.chance(3)
        let (number, reads) = try Self.search(
            log, ages: ages, progress, policy, bytes: 1_000, limit: isFull ? 1_000 : 10_000)
        #expect(reads <= 2 * (1 + Int.bitWidth - log.entries.count.leadingZeroBitCount))
        #expect((1...UInt64(log.entries.count)).contains(number))
        // A node that has what two nodes have reads the rest; one that has less does so unless the rest is old.
        for (index, frame) in [(0, progress.everywhere), (1, progress.mirrored)] {
            let isAbandoned = number > 1 && ages[Int(number) - 2] >= max(policy.keep, TrimPolicy.patience)
            if index == 0, isAbandoned { continue }
            var reader = LogReader(cluster: cluster, next: number, lastFrame: frame)
            for entry in log.entries[Int(number - 1)...] { _ = try reader.receive(entry) }
            #expect(reader.end == log.end)
        }
        for gone in 0..<Int(number) - 1 {
            #expect(ages[gone] >= policy.keep || isFull)
            let isRead = UInt64(gone) < progress.read
            #expect(isRead || ages[gone] >= max(policy.keep, TrimPolicy.patience))
        }
        // Nothing more could go.
        guard number < log.entries.count else { return }
        let next = try LogMessage(log.entries[Int(number) - 1].message)
        let isEverywhere = next.neededFrame <= progress.everywhere && number <= progress.read
        #expect(!isEverywhere || ages[Int(number) - 1] < policy.keep)
    }

    @Test func `a message stays until its hours are over, and the last one stays for ever`() throws {
        let log = Self.log(8)
        #expect(log.entries.count == 10)
        let ages = [30, 29, 28, 27, 24, 23, 4, 3, 2, 1].map { $0 * Self.hour }
        #expect(try Self.search(log, ages: ages, Self.all(8), Self.day).number == 6)
        #expect(try Self.search(log, ages: ages, Self.all(8), TrimPolicy(keep: 28 * Self.hour)).number == 4)
        #expect(try Self.search(log, ages: ages, Self.all(8), Self.atOnce).number == 10)
        let old = ages.map { $0 + 1_000 * Self.hour }
        #expect(try Self.search(log, ages: old, Self.all(8), Self.day).number == 10)
    }

    @Test func `a message stays until two nodes have it on their disks, however old it is`() throws {
        let log = Self.log(8)
        let ages = log.entries.map { _ in 100 * Self.hour }
        for frame in 0...8 as ClosedRange<UInt64> {
            let (number, _) = try Self.search(log, ages: ages, Self.all(frame), Self.atOnce)
            #expect(number == min(10, frame + 3))
        }
    }

    @Test func `what a live node lacks stays for a day, even if the log is full`() throws {
        let log = Self.log(8)
        let progress = TrimProgress(mirrored: 8, everywhere: 2, read: .max)
        let young = log.entries.map { _ in Self.hour }
        #expect(try Self.search(log, ages: young, progress, Self.atOnce).number == 5)
        #expect(try Self.search(log, ages: young, progress, Self.day, bytes: 100, limit: 100).number == 5)
        let old = log.entries.map { _ in TrimPolicy.patience }
        #expect(try Self.search(log, ages: old, progress, Self.atOnce).number == 10)
        // Frames without records are in no journal.
        let unread = TrimProgress(mirrored: 8, everywhere: 8, read: 3)
        #expect(try Self.search(log, ages: young, unread, Self.atOnce).number == 4)
    }

    @Test func `a log that is nearly full loses its oldest half regardless of age`() throws {
        let log = Self.log(98)
        let ages = log.entries.map { _ in 0 as Int64 }
        func first(bytes: UInt64, limit: UInt64?) throws -> UInt64 {
            try Self.search(log, ages: ages, Self.all(98), Self.day, bytes: bytes, limit: limit).number
        }
        #expect(try first(bytes: 1_000, limit: nil) == 1)
        #expect(try first(bytes: 750, limit: 1_000) == 1)
        // 260 of 760 bytes are too many, and as great a part of the messages.
        #expect(try first(bytes: 760, limit: 1_000) == 36)
        #expect(try first(bytes: 1_000, limit: 1_000) == 51)
    }

    @Test func `a few old messages at the beginning are found in a few steps`() throws {
        let log = Self.log(998)
        let ages = log.entries.indices.map { $0 < 3 ? 25 * Self.hour : 0 }
        let (number, reads) = try Self.search(log, ages: ages, Self.all(998), Self.day)
        #expect(number == 4)
        #expect(reads <= 5)
    }

    @Test func `progress is what two nodes, and all live nodes, have`() {
        func beat(_ name: String, synced: UInt64, read: UInt64) -> NodeBeat {
            NodeBeat(
                node: node(name), lastMessage: read, syncedFrame: synced, clock: 0,
                facts: NodeBeat.Facts(recordVersion: 4))
        }
        #expect(TrimProgress(own: (9, 20), others: []) == nil)
        #expect(
            TrimProgress(own: (9, 20), others: [beat("bob", synced: 5, read: 18)])
                == TrimProgress(mirrored: 5, everywhere: 5, read: 18))
        let others = [beat("bob", synced: 5, read: 30), beat("cid", synced: 7, read: 19)]
        #expect(TrimProgress(own: (9, 20), others: others) == TrimProgress(mirrored: 7, everywhere: 5, read: 19))
        #expect(TrimProgress(own: (3, 20), others: others) == TrimProgress(mirrored: 5, everywhere: 3, read: 19))
    }
}
