import ClusterSupport
import Dispatch
import Foundation
import Gateway
import Journal
import Replication
import Synchronization
import Testing

@testable import Cluster

/// Nodes that copy the journal of another over a bus in memory.
@Suite final class CopyTests {
    private let bus = MemoryBus()
    private let folders = FileManager.default.temporaryDirectory.path + "/belfry-copies-\(UUID())"
    private let held = Heard<UInt64?>()
    private let events = Heard<CopyServer.Event>()

    init() throws {
        try FileManager.default.createDirectory(atPath: folders, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folders) }

    private func server(_ journal: WrittenJournal, idleMilliseconds: Int = 60_000) -> CopyServer {
        let (held, events) = (held, events)
        let server = CopyServer(
            journal.folder, of: ann, bus.connect(), idleMilliseconds: idleMilliseconds, hold: { held.add($0) },
            report: { events.add($0) })
        server.start()
        return server
    }

    private func journal(_ name: String = "journal", segmentBytes: Int = 65_536) throws -> WrittenJournal {
        try WrittenJournal("\(folders)/\(name)", segmentBytes: segmentBytes)
    }

    private func target(_ name: String = "copy") throws -> PosixDisk { try PosixDisk(folder: "\(folders)/\(name)") }

    private func copy(by node: NodeID = bob, to target: any Disk, over bus: (any Bus)? = nil) async throws -> UInt64 {
        try await JournalCopier(node, bus ?? self.bus.connect()).copy(from: ann, to: target, salt: 7) { _ in }
    }

    /// Asks the server, and waits for its answer.
    private func ask(_ question: CopyQuestion, from node: NodeID = bob) async -> CopyAnswer? {
        let bus = bus.connect()
        let reply = await withCheckedContinuation { continuation in
            bus.request(question.encoded(from: node), to: Subjects.copy(of: ann), milliseconds: 60_000) {
                continuation.resume(returning: $0)
            }
        }
        guard case .reply(let bytes) = reply else { return nil }
        return CopyAnswer(bytes)
    }

    private func begin(from node: NodeID = bob) async throws -> (copy: UInt64, pieces: JournalPieces) {
        let answer = await ask(.begin, from: node)
        guard case .list(let copy, let pieces) = answer else {
            Issue.record("\(String(describing: answer))")
            throw CancellationError()
        }
        return (copy, pieces)
    }

    @Test func `a copy has all frames, snapshots included, while the journal is written`() async throws {
        let journal = try journal()
        try journal.append(300, bytes: 1_000)
        try journal.compact()
        try journal.append(40, bytes: 10_000)
        let server = server(journal)
        let (target, before) = (try target(), try journal.state())
        let writing = Task.detached {
            for _ in 0..<50 { try journal.append(1, bytes: 5_000) }
        }
        let last = try await copy(to: target)
        try await writing.value
        #expect((340...390).contains(last))
        if last == 340 { #expect(try state(of: target) == before) }
        try journal.check(copy: target, through: last)
        #expect(try target.names().contains { $0.hasSuffix(".snapshot") })
        try wait { self.events.all.last == .ended(bob, isComplete: true) }
        let sent = events.all.reduce(0) { if case .sent(let bytes) = $1 { $0 + bytes } else { $0 } }
        guard case .began(bob, let files, let size) = events.all.first else {
            Issue.record("\(events.all)")
            return
        }
        #expect(sent == size && files > 2)
        server.stop()
    }

    @Test func `a copied journal is opened like the original`() async throws {
        let journal = try journal()
        try journal.append(20, bytes: 300)
        let server = server(journal)
        let target = try target()
        #expect(try await copy(to: target) == 20)
        let opened = try WrittenJournal("\(folders)/copy", segmentBytes: 65_536)
        try opened.append(1, bytes: 10)
        #expect(opened.last == 21)
        server.stop()
    }

    @Test func `one node at a time copies, and one that begins again has lost its copy`() async throws {
        let journal = try journal()
        try journal.append(3, bytes: 300_000)
        let server = server(journal)
        let (first, pieces) = try await begin()
        #expect(await ask(.begin, from: node("cid")) == .refusal(.busy))
        let (second, _) = try await begin(from: node("bob", start: 2))
        #expect(second != first)
        #expect(await ask(.read(copy: first, file: 0, offset: 0)) == .refusal(.noSuchCopy))
        #expect(await ask(.read(copy: second, file: 0, offset: 0)) == .refusal(.noSuchCopy), "another process")
        let bob = node("bob", start: 2)
        let whole = try PosixDisk(existing: journal.folder).read(pieces.files[0].name)
        let piece = await ask(.read(copy: second, file: 0, offset: 0), from: bob)
        #expect(piece == .piece(Array(whole.prefix(256 << 10))))
        for (file, offset) in [(0, pieces.files[0].size), (0, 1 << 40), (pieces.files.count, 0), (1 << 30, 0)] {
            #expect(await ask(.read(copy: second, file: file, offset: offset), from: bob) == .refusal(.noSuchCopy))
        }
        #expect(await ask(.end(copy: second), from: bob) == .refusal(.noSuchCopy))
        _ = try await begin(from: node("cid"))
        server.stop()
    }

    @Test func `the log keeps what a copying node will need until it follows the log`() async throws {
        let journal = try journal()
        try journal.append(5, bytes: 100)
        let server = server(journal)
        let (copy, _) = try await begin()
        #expect(held.all == [5])
        try journal.append(2, bytes: 100)
        _ = await ask(.end(copy: copy))
        let (other, _) = try await begin(from: node("cid"))
        _ = await ask(.end(copy: other), from: node("cid"))
        #expect(held.all.last == 5)
        server.heard([ann, bob])
        try wait { self.held.all.last == 7 }
        // Another process of that name, from before the copy, does not have it.
        server.heard([node("cid", start: 0)])
        _ = await ask(.end(copy: 99))
        #expect(held.all.last == 7)
        // One from after the copy does.
        server.heard([node("cid", start: 9)])
        try wait { self.held.all.last == .some(nil) }
        server.stop()
    }

    @Test func `a copy that nobody continues ends, and the journal can be compacted again`() async throws {
        let journal = try journal()
        try journal.append(5, bytes: 100)
        let server = server(journal, idleMilliseconds: 1)
        let (copy, _) = try await begin()
        try wait { self.events.all.last == .ended(bob, isComplete: false) }
        #expect(held.all.last == .some(nil))
        #expect(await ask(.read(copy: copy, file: 0, offset: 0)) == .refusal(.noSuchCopy))
        #expect(try FileLock(journal.folder + "/" + Compaction.lockName) != nil)
        server.stop()
    }

    @Test func `no copy begins while a snapshot is made, and no snapshot during a copy`() async throws {
        let journal = try journal()
        try journal.append(5, bytes: 100)
        let server = server(journal)
        do {
            let lock = try FileLock(journal.folder + "/" + Compaction.lockName)
            #expect(await ask(.begin) == .refusal(.busy))
            withExtendedLifetime(lock) {}
        }
        _ = try await begin()
        #expect(try FileLock(journal.folder + "/" + Compaction.lockName) == nil)
        server.stop()
    }

    @Test func `pieces that arrive damaged or not at all are asked for again, and a node that is gone is an error`()
        async throws
    {
        let journal = try journal()
        try journal.append(8, bytes: 200_000)
        let server = server(journal)
        let flaky = FlakyBus(bus.connect())
        #expect(try await copy(to: try target(), over: flaky) == 8)
        #expect(flaky.damaged > 3)
        try journal.check(copy: try target(), through: 8)
        await #expect(throws: CopyFailure.silence) {
            try await JournalCopier(bob, self.bus.connect()).copy(from: node("cid"), to: try self.target("x"), salt: 1)
            {
                _ in
            }
        }
        server.stop()
    }

    @Test func `a copy of a damaged file is not used`() async throws {
        let journal = try journal(segmentBytes: 4_096)
        try journal.append(30, bytes: 1_000)
        let server = server(journal)
        let name = try #require(try PosixDisk(existing: journal.folder).names().first { $0.hasSuffix(".journal") })
        let path = "\(journal.folder)/\(name)"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[200] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        await #expect(throws: CopyFailure.self) { try await self.copy(to: try self.target()) }
        // The server has read the last segment only.
        try wait { self.events.all.last == .ended(bob, isComplete: true) }
        server.stop()
    }

    @Test func `a copy that ends before the announced frame is refused`() async throws {
        let journal = try journal()
        try journal.append(3, bytes: 100)
        let disk = PosixDisk(existing: journal.folder)
        let files = try JournalPieces(of: disk).files
        let peer = bus.connect()
        let service = peer.serve(Subjects.copy(of: ann)) { message, reply in
            switch CopyQuestion.decoded(message)?.question {
            case .begin: reply?(CopyAnswer.list(copy: 1, JournalPieces(files: files, last: 4)).encoded)
            case .read(_, let file, let offset):
                let bytes = try? disk.read(files[file].name, at: offset, upTo: files[file].size - offset)
                reply?(CopyAnswer.piece(bytes ?? []).encoded)
            case .end, nil: reply?(CopyAnswer.refusal(.noSuchCopy).encoded)
            }
        }
        await #expect(throws: CopyFailure.incomplete(last: 3, expected: 4)) {
            try await self.copy(to: try self.target())
        }
        withExtendedLifetime((peer, service)) {}
    }

    @Test func `answers that no node sends are refused`() throws {
        let pieces = JournalPieces(files: [.init(name: "00000000000000000001.journal", size: 5)], last: 3)
        let list = CopyAnswer.list(copy: 1, pieces)
        #expect(CopyAnswer(list.encoded) == list)
        for name in ["../belfry.lock", "spare.tmp", "", "00000000000000000001.journal/x", "1.journal"] {
            let wrong = JournalPieces(files: [.init(name: name, size: 5)], last: 3)
            #expect(CopyAnswer(CopyAnswer.list(copy: 1, wrong).encoded) == nil)
        }
        let twice = JournalPieces(files: pieces.files + pieces.files, last: 3)
        #expect(CopyAnswer(CopyAnswer.list(copy: 1, twice).encoded) == nil)
        let large = JournalPieces(files: [.init(name: pieces.files[0].name, size: 1 << 40 + 1)], last: 3)
        #expect(CopyAnswer(CopyAnswer.list(copy: 1, large).encoded) == nil)
        #expect(CopyAnswer(CopyAnswer.list(copy: 1, JournalPieces(files: [], last: 0)).encoded) == nil)
        #expect(CopyAnswer(CopyAnswer.list(copy: 0, pieces).encoded) == nil)
        let piece = CopyAnswer.piece([1, 2, 3])
        #expect(CopyAnswer(piece.encoded) == piece)
        for index in piece.encoded.indices {
            var changed = piece.encoded
            changed[index] ^= 0x10
            #expect(CopyAnswer(changed) != piece)
            if let other = CopyAnswer(changed), case .piece = other { Issue.record("byte \(index)") }
        }
        #expect(CopyAnswer(CopyAnswer.piece([]).encoded) == nil)
        #expect(CopyAnswer(CopyAnswer.piece([UInt8](repeating: 0, count: 256 << 10 + 1)).encoded) == nil)
        for refusal in [.busy, .failed, .noSuchCopy] as [CopyRefusal] {
            #expect(CopyAnswer(CopyAnswer.refusal(refusal).encoded) == .refusal(refusal))
        }
        for question in [.begin, .read(copy: 4, file: 3, offset: 2), .end(copy: 9)] as [CopyQuestion] {
            let decoded = CopyQuestion.decoded(question.encoded(from: ann))
            #expect(decoded?.sender == ann && decoded?.question == question)
        }
        #expect(CopyQuestion.decoded([]) == nil)
        #expect(CopyQuestion.decoded([0xFF]) == nil)
    }

    private func state(of disk: PosixDisk) throws -> Int { try ReadOnlyJournal(disk).state { _ in }.userCount }
}

/// A bus that loses or damages two of three replies to questions for pieces.
private final class FlakyBus: Bus {
    private let bus: MemoryBusConnection
    private let count = Mutex(0)

    init(_ bus: MemoryBusConnection) { self.bus = bus }

    var damaged: Int { count.withLock(\.self) * 2 / 3 }

    func publish(_ message: [UInt8], to subject: String) { bus.publish(message, to: subject) }

    func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> any BusSubscription { bus.serve(subject, receive) }

    func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) {
        bus.request(message, to: subject, milliseconds: milliseconds) { [self] reply in
            guard case .reply(var bytes) = reply, bytes.count > 1_000 else { return done(reply) }
            switch count.withLock({ count in
                count += 1
                return count % 3
            }) {
            case 1: done(.silence)
            case 2:
                bytes[bytes.count / 2] ^= 1
                done(.reply(bytes))
            default: done(reply)
            }
        }
    }
}
