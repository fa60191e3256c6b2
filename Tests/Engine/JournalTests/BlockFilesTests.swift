import ChatDomain
import Simulation
import Synchronization
import Testing

@testable import Journal

/// The files with the bodies of messages, which a snapshot refers to.
@Suite struct BlockFilesTests {
    /// Returns a store with a snapshot at frame 295, whose bodies are in one file.
    private static func store() throws -> SimulatedDisk {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk, segmentBytes: 8_192)
        try talk.talk(300)
        talk.close()
        try disk.compact()
        return disk
    }

    private static func whole(_ frames: Int) throws -> [StatePart] {
        let talk = try Talk(SimulatedDisk(seed: 8), segmentBytes: 65_536)
        try talk.talk(frames)
        return talk.parts
    }

    private static func blocks(of disk: SimulatedDisk) throws -> [BlockReference] {
        var blocks: [BlockReference] = []
        let journal = try ReadOnlyJournal(disk)
        try journal.state { _ in }.visitBlocks { blocks.append($0.part.reference) }
        return blocks
    }

    /// Continues the journal, and makes a snapshot.
    @discardableResult
    private static func go(on disk: SimulatedDisk, _ frames: Int = 20) throws -> Compaction.Result {
        let talk = try Talk(disk, segmentBytes: 8_192)
        try talk.talk(frames)
        talk.close()
        return try #require(try disk.compact())
    }

    @Test func `a snapshot does not have the bodies of messages, which stay where they are in later ones`() throws {
        let disk = try Self.store()
        #expect(try disk.names(".blocks") == [FileName.blocks.name(295)])
        let blocks = try Self.blocks(of: disk)
        #expect(blocks.count == 5 && Set(blocks.map(\.file)) == [295])
        let result = try Self.go(on: disk)
        #expect(result.newBlocks.count == 1, "the one that was not full")
        #expect(result.blocks.count == 5 && result.base == 295)
        #expect(try Self.blocks(of: disk).filter { $0.file == 295 } == blocks.dropLast())
        #expect(try disk.names(".blocks") == [FileName.blocks.name(295), FileName.blocks.name(315)])
        #expect(result.blockFiles == [295, 315])
        #expect(try Talk(disk).parts == (try Self.whole(320)))
    }

    @Test func `a file to which no snapshot refers is deleted`() throws {
        let disk = try Self.store()
        try Self.go(on: disk)
        try Self.go(on: disk)
        try Self.go(on: disk)
        // The last block was written anew each time.
        #expect(try disk.names(".blocks") == [295, 335, 355].map(FileName.blocks.name))
        #expect(try Talk(disk).parts == (try Self.whole(360)))
    }

    @Test func `what no snapshot needs is overwritten`() throws {
        let disk = try Self.store()
        func content(_ number: UInt64) throws -> [UInt8] { try disk.read(FileName.blocks.name(number)) }
        let compaction = Compaction(disk, keeping: 5, salt: 9)
        try compaction.overwriteUnused(after: try Self.go(on: disk))
        let before = try content(295)
        #expect(before.dropFirst(FileHeader.size).first != 0)
        try compaction.overwriteUnused(after: try Self.go(on: disk))
        let kept = try (Self.blocks(of: disk) + Self.runs(of: disk)).filter { $0.file == 295 }
        let needed = Set(kept.flatMap { Int($0.offset)..<Int($0.offset) + Int($0.size) })
        let after = try content(295)
        #expect(after.count == before.count)
        let content = FileHeader.size..<after.count - FrameFormat.headerSize
        #expect(content.allSatisfy { needed.contains($0) ? after[$0] == before[$0] : after[$0] == 0 })
        #expect(content.contains { !needed.contains($0) && before[$0] != 0 })
        #expect(try Talk(disk).parts == (try Self.whole(340)))
    }

    @Test func `the gaps in a file are what lies between header, blocks and seal`() {
        var needed = NeededBlocks()
        #expect(needed.gaps(in: 1, size: 100) == [36..<80])
        for (offset, size) in [(50, 10), (40, 5), (60, 4)] as [(UInt64, UInt32)] {
            needed.add(BlockReference(file: 1, offset: offset, size: size))
        }
        #expect(needed.gaps(in: 1, size: 100) == [36..<40, 45..<50, 64..<80])
        needed.add(BlockReference(file: 1, offset: 36, size: .max))
        needed.add(BlockReference(file: 1, offset: .max, size: 1))
        #expect(needed.gaps(in: 1, size: 100).isEmpty)
    }

    @Test func `files stay few, however many snapshots are made`() throws {
        let disk = try Self.store()
        for _ in 0..<80 { try Self.go(on: disk, 70) }
        #expect(try disk.names(".blocks").count <= BlockFileUse.fileLimit + 2)
        #expect(try Talk(disk).parts == (try Self.whole(300 + 80 * 70)))
    }

    @Test func `files of which less than half is used are merged, and the smallest if there are too many`() throws {
        let disk = try Self.store()
        let use = BlockFileUse(of: try ReadOnlyJournal(disk).state { _ in })
        let used = try #require(use.used[295])
        #expect(use.files == [295])
        #expect(use.filesToRewrite { _ in used }.isEmpty)
        #expect(use.filesToRewrite { _ in 2 * used + 2 } == [295])
        #expect(use.filesToRewrite { _ in nil }.isEmpty)
    }

    @Test func `a changed byte in a block is reported, and takes the texts of its messages only`() throws {
        let store = try Self.store()
        let expected = try Self.whole(300)
        for block in try Self.blocks(of: store) {
            for offset in [0, 4, 8, 25, Int(block.size) - 1] {
                let disk = store.killed()
                let name = FileName.blocks.name(block.file)
                disk.tamper(name) { $0[Int(block.offset) + offset] ^= 0x10 }
                let journal = try ReadOnlyJournal(disk)
                let snapshot = try #require(journal.report.snapshots.last)
                #expect(try journal.problem(of: snapshot) == .unreadableBlock(file: name, block))
                let parts = try Talk(disk).parts
                #expect(parts.count == expected.count && parts != expected)
                #expect(Self.lost(parts, expected).count <= 64)
            }
        }
    }

    /// Returns the messages that have lost their text.
    private static func lost(_ parts: [StatePart], _ expected: [StatePart]) -> [MessagePart] {
        zip(parts, expected).flatMap { part, expected -> [MessagePart] in
            guard case .messages(_, let found) = part, case .messages(_, let all) = expected else { return [] }
            return zip(found, all).filter { $0 != $1 }.map(\.0)
        }
    }

    @Test(arguments: ["missing", "header", "foreign", "cut"])
    func `without a usable file of blocks, an older snapshot and the frames after it are used`(damage: String) throws {
        let disk = try Self.store()
        try Self.go(on: disk, 200)
        let (name, other) = (FileName.blocks.name(495), FileName.blocks.name(295))
        let foreign = try disk.read(other)
        switch damage {
        case "missing": try disk.remove(name)
        case "header": disk.tamper(name) { $0[20] ^= 1 }
        case "foreign": disk.tamper(name) { $0 = foreign }
        default: disk.tamper(name) { $0 = Array($0.prefix(20)) }
        }
        let told = Mutex<[JournalError]>([])
        let talk = try Talk(disk, observer: JournalObserver(onDamage: { error in told.withLock { $0.append(error) } }))
        #expect(talk.parts == (try Self.whole(500)))
        guard case .unusableSnapshot(FileName.snapshot.name(495), _)? = told.withLock(\.first) else {
            Issue.record("nobody was told: \(told.withLock(\.self))")
            return
        }
    }

    private static func runs(of disk: SimulatedDisk) throws -> [BlockReference] {
        let report = try JournalRecovery.inspect(disk)
        let state = try StateLoader(disk: disk, report: report, isSparse: true).base { _ in }.state
        var runs: [BlockReference] = []
        state.visitRuns { runs.append($0.reference) }
        return runs.sorted { ($0.file, $0.offset) < ($1.file, $1.offset) }
    }

    @Test func `a snapshot refers to the messages that have not changed`() throws {
        let disk = try Self.store()
        let runs = try Self.runs(of: disk)
        #expect(runs.count == 1 && runs[0].file == 295, "of 256 messages; the other 38 are in the snapshot")
        try Self.go(on: disk, 40)
        #expect(try Self.runs(of: disk).map(\.file) == [295, 335])
        try Self.go(on: disk, 200)
        #expect(try Self.runs(of: disk).map(\.file) == [295, 535])
        #expect(try Self.runs(of: disk).first == runs.first)
        #expect(try Talk(disk).parts == (try Self.whole(540)))
    }

    @Test(arguments: [FrameFormat.headerSize, 21, 100, 10_000])
    func `blocks and runs of any size are read in slices`(slice: Int) throws {
        let disk = try Self.store()
        let (files, whole) = (BlockFiles(disk, slice: slice), BlockFiles(disk))
        for block in try Self.blocks(of: disk) {
            guard case .bodies(let expected) = whole.read(block), case .bodies(let bodies) = files.read(block) else {
                Issue.record("cannot read \(block)")
                continue
            }
            #expect(bodies == expected && !bodies.isEmpty)
        }
        for run in try Self.runs(of: disk) {
            let (parts, expected) = (try files.run(run), try whole.run(run))
            #expect(parts == expected && parts?.isEmpty == false)
        }
    }

    @Test func `a changed byte in a run makes the snapshots unusable that refer to it, and is reported`() throws {
        let store = try Self.store()
        try Self.go(on: store, 200)
        let runs = try Self.runs(of: store)
        #expect(runs.map(\.file) == [295, 495])
        for (run, isShared) in [(runs[0], true), (runs[1], false)] {
            for offset in [0, 4, 8, 25, Int(run.size) - 1] {
                let disk = store.killed()
                let name = FileName.blocks.name(run.file)
                disk.tamper(name) { $0[Int(run.offset) + offset] ^= 0x10 }
                let journal = try ReadOnlyJournal(disk)
                for snapshot in journal.report.snapshots where isShared || snapshot.sequence == 495 {
                    let reason = "\(name) is damaged at byte \(run.offset)"
                    #expect(try journal.problem(of: snapshot) == .unusableSnapshot(snapshot.name, reason: reason))
                }
                guard !isShared else {
                    #expect(throws: JournalError.noSnapshot(first: 200)) { try Talk(disk) }
                    continue
                }
                // The older snapshot and the frames after it are used, to start as well as to make the next snapshot.
                #expect(try Talk(disk).parts == (try Self.whole(500)))
                let result = try Self.go(on: disk)
                #expect(result.base == 295 && result.damaged == [.unreadableRun(file: name, run)])
                #expect(try Talk(disk).parts == (try Self.whole(520)))
            }
        }
    }

    @Test func `a file stays readable after it was deleted by another process`() throws {
        let disk = try Self.store()
        let state = try StateLoader(disk: disk, report: try JournalRecovery.inspect(disk)).base { _ in }.state
        var blocks: [BlockReference] = []
        state.visitBlocks { blocks.append($0.part.reference) }
        for name in try disk.names(".blocks") { try disk.remove(name) }
        for block in blocks {
            guard case .bodies = state.blocks.reader?.read(block) else {
                Issue.record("cannot read \(block)")
                continue
            }
        }
        #expect(state.blocks.reader?.retain([]) == nil)
        guard case .damaged = state.blocks.reader?.read(blocks[0]) else {
            Issue.record("the file is still open")
            return
        }
    }

    @Test func `a block that the disk does not return now is not damaged`() throws {
        let disk = try Self.store()
        let files = BlockFiles(disk)
        let block = try #require(try Self.blocks(of: disk).first)
        disk.fail(disk.operations + 1, isPermanent: false)
        guard case .unavailable = files.read(block) else {
            Issue.record("no failure")
            return
        }
        guard case .bodies = files.read(block) else {
            Issue.record("still a failure")
            return
        }
        #expect(files.failure != nil)
    }

    @Test func `no reference reads beyond a file, however wrong it is`() throws {
        let disk = try Self.store()
        let files = BlockFiles(disk)
        for offset in [UInt64(0), 35, 37, 1 << 20, UInt64(Int.max), .max] {
            for size in [UInt32(0), 1, 20, 1 << 20, .max] {
                guard case .damaged = files.read(BlockReference(file: 295, offset: offset, size: size)) else {
                    Issue.record("read \(size) bytes at \(offset)")
                    continue
                }
            }
        }
        let block = try #require(try Self.blocks(of: disk).first)
        for size in [block.size - 1, block.size + 1] {
            guard case .damaged = files.read(BlockReference(file: 295, offset: block.offset, size: size)) else {
                Issue.record("read \(size) bytes instead of \(block.size)")
                continue
            }
        }
        guard case .damaged = files.read(BlockReference(file: .max, offset: 36, size: 30)) else {
            Issue.record("read a file that does not exist")
            return
        }
    }

    @Test func `a backup and a copy for another node have the blocks`() throws {
        let disk = try Self.store()
        try Self.go(on: disk)
        let pieces = try JournalPieces(of: disk)
        #expect(pieces.files.map(\.name).filter { $0.hasSuffix(".blocks") } == (try disk.names(".blocks")))
        #expect(pieces.files.allSatisfy { JournalPieces.isPiece($0.name) })
        let copy = SimulatedDisk(seed: 9)
        #expect(try JournalBackup(of: disk, to: copy).run(salt: 4) == 320)
        #expect(try JournalPieces.verify(copy, salt: 5) == 320)
        #expect(try Talk(copy).parts == (try Self.whole(320)))
        let restored = SimulatedDisk(seed: 10)
        var random = SplitMix(seed: 1)
        _ = try JournalRestoration(of: copy, to: restored).run(&random) { Issue.record("\($0)") }
        #expect(try restored.names(".blocks") == [FileName.blocks.name(320)])
        let block = try #require(try Self.blocks(of: copy).first)
        copy.tamper(FileName.blocks.name(block.file)) { $0[Int(block.offset) + 30] ^= 1 }
        #expect(throws: JournalError.unreadableBlock(file: FileName.blocks.name(block.file), block)) {
            try JournalPieces.verify(copy, salt: 5)
        }
    }

    @Test func `a full disk or a failure leaves no half-written files of a snapshot`() throws {
        let store = try Self.store()
        let talk = try Talk(store, segmentBytes: 8_192)
        try talk.talk(100)
        talk.close()
        let names = try store.names()
        var isDone = false
        for operation in 1..<400 where !isDone {
            let disk = store.killed()
            disk.fail(disk.operations + operation, code: 28, isPermanent: false)
            let before = disk.operations
            do {
                _ = try disk.compact()
                isDone = disk.operations - before < operation
                disk.fail(.max)
            } catch {
                let left = Set(try disk.names()).subtracting(names)
                #expect(
                    left.allSatisfy { $0.hasSuffix(".snapshot") || $0.hasSuffix(".blocks") }, "\(operation): \(left)")
            }
            #expect(try Talk(disk).parts == (try Self.whole(400)), "\(operation)")
        }
        #expect(isDone)
    }
}
