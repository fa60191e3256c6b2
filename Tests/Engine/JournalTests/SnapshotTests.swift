import ChatDomain
import ChatModel
import Dispatch
import Records
import Simulation
import Synchronization
import Testing

@testable import Journal

@Suite struct SnapshotTests {
    /// Returns a cleanly closed store with segments of a few frames each.
    private static func store(frames: Int = 40) throws -> SimulatedDisk {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(frames)
        talk.close()
        return disk
    }

    /// Returns a store with two snapshots, at frames 35 and 55, and the frames after the older one.
    private static func storeWithTwo() throws -> SimulatedDisk {
        let disk = try store()
        try disk.compact()
        let talk = try Talk(disk)
        try talk.talk(20)
        talk.close()
        try disk.compact()
        return disk
    }

    private static func whole(_ frames: Int) throws -> [StatePart] {
        let talk = try Talk(store(frames: frames))
        return talk.parts
    }

    @Test func `a snapshot and the later frames restore the same state as all frames`() throws {
        let disk = try Self.store()
        let result = try #require(try disk.compact())
        #expect(result.sequence == 35)
        #expect(result.bytes == (try disk.read(try #require(try disk.names(".snapshot").last))).count)
        let talk = try Talk(disk)
        #expect(try talk.log.base().sequence == 35)
        #expect(talk.frames == 40)
        #expect(talk.parts == (try Self.whole(40)))
    }

    @Test func `two snapshots are kept with every frame after the older one, and everything else is deleted`() throws {
        let disk = try Self.storeWithTwo()
        #expect(try disk.names(".snapshot") == [FileName.snapshot.name(35), FileName.snapshot.name(55)])
        let firsts = try disk.names(".journal").compactMap(FileName.segment.number)
        #expect(firsts.filter { $0 <= 36 }.count == 1)
        #expect(try #require(firsts.first) > 1)
        let talk = try Talk(disk)
        try talk.talk(20)
        talk.close()
        let result = try #require(try disk.compact())
        #expect(result.sequence == 75)
        #expect(result.removed.first == FileName.snapshot.name(35))
        #expect(result.removed.count > 1)
        #expect(try disk.names(".snapshot") == [FileName.snapshot.name(55), FileName.snapshot.name(75)])
        #expect(try Talk(disk).parts == (try Self.whole(80)))
    }

    @Test func `no snapshot is written before enough frames are closed`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk, segmentBytes: 65_536)
        try talk.talk(30)
        #expect(try disk.compact() == nil, "they stand in the segment that is being written")
        talk.log.rotate()
        talk.settle()
        #expect(try disk.compact(keeping: 30) == nil)
        #expect(try disk.compact()?.sequence == 25)
        #expect(try disk.compact() == nil, "there is one already")
        try talk.talk(5)
        talk.close()
        #expect(try Talk(disk).parts == (try Self.whole(35)))
    }

    @Test func `frames that a reader still needs are not included in a snapshot`() throws {
        let disk = try Self.store()
        func compact(through limit: UInt64) throws -> UInt64? {
            try Compaction(disk, keeping: 5, through: limit, salt: 9).run()?.sequence
        }
        #expect(try compact(through: 0) == nil)
        #expect(try compact(through: 12) == 12)
        #expect(try compact(through: 12) == nil)
        #expect(try compact(through: 100) == 35)
        #expect(try disk.names(".snapshot") == [FileName.snapshot.name(12), FileName.snapshot.name(35)])
        #expect(try Talk(disk).parts == (try Self.whole(40)))
    }

    /// Issue 20, N91: an unavailable webhook retained an unlimited number of bytes in the journal.
    @Test func `frames that a reader still needs are kept up to a limit in bytes`() throws {
        let disk = try Self.store()
        func compact(leaving bytes: Int) throws -> UInt64? {
            try Compaction(disk, keeping: 5, through: 3, limitBytes: bytes, salt: 9).run()?.sequence
        }
        let report = try JournalRecovery.inspect(disk)
        #expect(try compact(leaving: 1_000_000) == 3)
        let left = try #require(try compact(leaving: 2_500))
        #expect(left > 3 && left < 35)
        let bytes = report.segments.filter { $0.first > left }.reduce(0) { $0 + $1.bytes - FileHeader.size }
        #expect(bytes <= 2_500 && bytes > 1_000)
        #expect(try compact(leaving: 0) == 35, "but what clients recover from stays out")
        #expect(try Talk(disk).parts == (try Self.whole(40)))
    }

    @Test func `an empty segment is not closed for a snapshot`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(3)
        talk.log.rotate()
        talk.settle()
        let names = try disk.names(".journal")
        talk.log.rotate()
        talk.settle()
        #expect(try disk.names(".journal") == names)
    }

    @Test func `without space for the next segment the current one stays open, and nothing is lost`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk, segmentBytes: 65_536)
        try talk.talk(3)
        disk.setCapacity(disk.size)
        let names = try disk.names()
        talk.log.rotate()
        talk.settle()
        #expect(try disk.names().filter { $0.hasSuffix(".journal") } == names.filter { $0.hasSuffix(".journal") })
        try talk.talk(3)
        disk.setCapacity(.max)
        talk.close()
        #expect(try Talk(disk).frames == 6)
    }

    @Test func `no modified byte of a snapshot yields a wrong state or goes undetected`() throws {
        let name = FileName.snapshot.name(55)
        let store = try Self.storeWithTwo()
        let size = try store.read(name).count
        let expected = try Self.whole(60)
        for offset in 0..<size {
            for mask in [UInt8(0x01), 0x80, 0xFF] {
                let disk = store.killed()
                disk.tamper(name) { $0[offset] ^= mask }
                try Self.expectTheOlder(disk, name, expected)
            }
        }
    }

    @Test func `a snapshot truncated at any byte or with trailing bytes gives way to the older one`() throws {
        let name = FileName.snapshot.name(55)
        let store = try Self.storeWithTwo()
        let size = try store.read(name).count
        let expected = try Self.whole(60)
        for kept in 0..<size {
            let disk = store.killed()
            disk.tamper(name) { $0 = Array($0[..<kept]) }
            try Self.expectTheOlder(disk, name, expected)
        }
        let disk = store.killed()
        disk.tamper(name) { $0.append(0) }
        try Self.expectTheOlder(disk, name, expected)
    }

    private static func expectTheOlder(_ disk: SimulatedDisk, _ name: String, _ expected: [StatePart]) throws {
        let told = Mutex<[JournalError]>([])
        let talk = try Talk(disk, observer: JournalObserver(onDamage: { error in told.withLock { $0.append(error) } }))
        #expect(talk.parts == expected)
        guard case .unusableSnapshot(name, _)? = told.withLock(\.first) else {
            Issue.record("nobody was told: \(told.withLock(\.self))")
            return
        }
    }

    @Test func `startup is refused without a usable snapshot and the first frames`() throws {
        let disk = try Self.storeWithTwo()
        for name in try disk.names(".snapshot") { disk.tamper(name) { $0[20] ^= 1 } }
        let first = try #require(try disk.names(".journal").compactMap(FileName.segment.number).first)
        #expect(throws: JournalError.noSnapshot(first: first)) { try Talk(disk) }
    }

    @Test func `a damaged first snapshot gives way to the full journal, and is written again`() throws {
        let disk = try Self.store()
        try disk.compact()
        let name = FileName.snapshot.name(35)
        disk.tamper(name) { $0[50] ^= 1 }
        try Self.expectTheOlder(disk, name, try Self.whole(40))
        let talk = try Talk(disk)
        try talk.talk(10)
        talk.close()
        let result = try #require(try disk.compact())
        #expect(result.damaged.count == 1)
        #expect(
            result.removed == [name, FileName.blocks.name(35)],
            "the frames from the first on stay: nothing else can stand for them")
        #expect(try Talk(disk).parts == (try Self.whole(50)))
    }

    @Test func `a snapshot written by a newer server is refused with an explanation`() throws {
        let disk = try Self.storeWithTwo()
        let name = FileName.snapshot.name(55)
        disk.tamper(name) { bytes in
            bytes = FileHeader(.snapshot, contentVersion: 9, salt: 1, number: 55).encoded() + bytes[36...]
        }
        let error = JournalError.unknownVersion(segment: name, version: 9)
        #expect(throws: error) { try Talk(disk) }
        #expect("\(error)".contains("written by a newer server"))
    }

    @Test func `a journal that ends before its snapshot is refused`() throws {
        let disk = try Self.store()
        try disk.compact()
        for name in try disk.names(".journal").dropFirst() { try disk.remove(name) }
        #expect(throws: JournalError.self) { try Talk(disk) }
        for name in try disk.names(".journal") { try disk.remove(name) }
        #expect(throws: JournalError.endMissing(next: 1, snapshot: 35)) { try Talk(disk) }
    }

    @Test func `missing frames that no snapshot contains are detected`() throws {
        let disk = try Self.storeWithTwo()
        let talk = try Talk(disk)
        try talk.talk(20)
        talk.close()
        let names = try disk.names(".journal")
        let late = try #require(names.compactMap(FileName.segment.number).first { $0 > 56 })
        for name in names where name < FileName.segment.name(late) { try disk.remove(name) }
        #expect(throws: JournalError.self) { try Talk(disk) }
    }

    @Test func `damage in the journal stops a snapshot, and nothing is deleted`() throws {
        let disk = try Self.storeWithTwo()
        let talk = try Talk(disk)
        try talk.talk(20)
        talk.close()
        let names = try disk.names()
        let segment = try #require(try disk.names(".journal").first { $0 > FileName.segment.name(56) })
        disk.tamper(segment) { $0[60] ^= 1 }
        #expect(throws: JournalError.self) { try disk.compact() }
        #expect(try disk.names() == names)
    }

    @Test func `a cancelled snapshot changes nothing`() throws {
        let disk = try Self.store()
        let names = try disk.names()
        let asked = Mutex(0)
        var patience = 0
        while true {
            asked.withLock { $0 = 0 }
            let limit = patience
            let compaction = Compaction(disk, keeping: 5, salt: 9) {
                asked.withLock { asked in
                    asked += 1
                    return asked > limit
                }
            }
            do {
                #expect(try compaction.run()?.sequence == 35)
                break
            } catch {
                #expect(error == .interrupted)
                #expect(try disk.names() == names)
            }
            patience += 1
        }
        #expect(patience > 35)
    }

    @Test func `a power failure at any moment of a compaction loses nothing`() throws {
        let expected = try Self.whole(80)
        var operation = 1
        var isWhole = false
        while !isWhole {
            let disk = try Self.storeWithTwo()
            let talk = try Talk(disk)
            try talk.talk(20)
            talk.close()
            let killed = disk.killed()
            killed.fail(operation)
            isWhole = (try? killed.compact()) != nil
            for cut in [killed.crashed(), killed.killed()] {
                let talk = try Talk(cut)
                #expect(talk.parts == expected, "operation \(operation)")
                talk.close()
                // Remains of a crash do not prevent the next compaction.
                try cut.compact(keeping: 1)
                #expect(try Talk(cut).parts == expected)
            }
            operation += 1
        }
        #expect(operation > 10)
    }

    @Test func `lack of space for a snapshot is an error, and leaves no file behind`() throws {
        let disk = try Self.store()
        let names = try disk.names()
        disk.setCapacity(disk.size + 10)
        #expect(throws: JournalError.self) { try disk.compact() }
        #expect(try disk.names() == names)
    }

    // MARK: Sizes

    /// Tests with a full journal what the tests of parts show for the domain; version 0.1 split no part by size.
    @Test(arguments: [1, 300, 2_000])
    func `a snapshot restores the same state however small its parts are`(bytes: Int) throws {
        var pieces = PieceLimits()
        pieces.bytes = bytes
        let disk = try Self.store()
        let result = try Compaction(disk, keeping: 5, salt: 9, pieces: pieces).run()
        #expect(result?.sequence == 35)
        #expect(try Talk(disk).parts == (try Self.whole(40)))
    }

    @Test func `an oversized part is refused by name, and leaves no file`() throws {
        let disk = SimulatedDisk(seed: 8)
        let state = try ReadOnlyJournal(Self.store(frames: 5)).state { _ in }
        var writer = SnapshotWriter(disk: disk, sequence: 5, salt: 9, limit: 60)
        #expect(throws: JournalError.oversizedPiece("app")) { try writer.write(state) }
        #expect(try disk.names() == [])
        writer.limit = FrameFormat.limit
        #expect(try writer.write(state).newBlocks.count == 1)
        #expect(try disk.names() == [FileName.blocks.name(5), FileName.snapshot.name(5)])
    }

    @Test func `a frame over the limit is an error, and no part of it is written`() throws {
        var bytes: [UInt8] = [7]
        try FrameFormat.append([1, 2], sequence: 1, unsynced: 0, salt: 1, to: &bytes, limit: 2)
        let before = bytes
        #expect(throws: DiskError.self) {
            try FrameFormat.append([1, 2, 3], sequence: 2, unsynced: 0, salt: 1, to: &bytes, limit: 2)
        }
        #expect(bytes == before)
    }

    @Test func `records too large for a frame are detected before they are folded into the state`() throws {
        let disk = SimulatedDisk(seed: 8)
        var options = JournalOptions()
        let record = try #require(try records(1).first)
        let unhidden = Record(
            event: .channelUnhidden(try valid(ChannelID("general")), try valid(UserID("ann"))), at: 1, by: nil,
            positions: record.positions)
        options.largestFrame = 1_001 * unhidden.largestSize
        let log = try DiskLog<UInt64>(disk, queue: DispatchQueue(label: "log"), options: options) { _ in }
        #expect(log.fits(Array(repeating: unhidden, count: 1_001)))
        #expect(!log.fits(Array(repeating: unhidden, count: 1_002)))
        #expect(log.fits(Array(repeating: record, count: Record.alwaysFit)), "few records are never measured")
    }

    @Test func `impossibly large numbers are treated as damage and not used in arithmetic`() throws {
        let store = try Self.storeWithTwo()
        for number in ["18446744073709551615", "09223372036854775808"] {
            let disk = store.killed()
            for suffix in [".snapshot", ".journal"] {
                let file = try disk.create(number + suffix)
                try file.write([1, 2, 3], at: 0)
            }
            #expect(try Talk(disk).frames == 60, "a name like that is none of ours")
        }
        let disk = SimulatedDisk(seed: 8)
        let header = FileHeader(.segment, contentVersion: 1, salt: 1, number: 0)
        try disk.create(FileName.segment.name(0)).write(header.encoded(), at: 0)
        #expect(throws: JournalError.damagedHeader(segment: FileName.segment.name(0))) { try Talk(disk) }
    }

    @Test func `a dry run of a compaction reports what it would write`() throws {
        let disk = try Self.store()
        let journal = try ReadOnlyJournal(disk)
        let trial = try journal.tryCompaction(of: journal.state { _ in })
        #expect(trial.pieces == (try Self.whole(40)).count + 1, "the blocks are one more")
        #expect(try disk.names(".snapshot").isEmpty)
        let result = try #require(try disk.compact(keeping: 0))
        let frames = FrameFormat.headerSize * (trial.pieces + result.blocks.count)
        let files = 2 * (FileHeader.size + FrameFormat.headerSize)
        #expect(trial.bytes == result.bytes + result.blockBytes - frames - files)
    }
}
