import ChatDomain
import ChatModel
import Dispatch
import Foundation
import Journal
import Records
import Replication
import Synchronization
import Testing

@Suite struct ReplicatedLogTests {
    /// The log's clock.
    private final class Now: Sendable {
        private let milliseconds = Atomic<Int64>(0)
        var value: Int64 { milliseconds.load(ordering: .relaxed) }
        func add(_ more: Int64) { milliseconds.add(more, ordering: .relaxed) }
    }

    private let now = Now()

    /// Delivers the notes of a log whose store accepts the term, and nothing afterwards.
    private func makeWriter(_ folder: String, _ delivered: @escaping @Sendable ([Int]) -> Void) throws -> (
        log: ReplicatedLog<Int>, queue: DispatchQueue, store: MemoryLogConnection
    ) {
        let queue = DispatchQueue(label: "replica")
        let journal = try DiskLog<Int>(
            folder: folder, queue: DispatchQueue(label: "journal"), options: JournalOptions(),
            observer: JournalObserver()
        ) { _ in }
        let store = MemoryLog()
        let genesis = WrittenLog()
        _ = store.append(genesis.entries[0].message, expecting: 0)
        let connection = store.connect()
        let isStored = DispatchSemaphore(value: 0)
        let now = now
        let log = ReplicatedLog(
            journal: journal, store: connection, queue: queue,
            events: .init(stored: { _ in isStored.signal() }, lost: {}),
            tag: { _ in LogFrame.Tag(origin: ann, serial: 0, id: MessageID(high: 0, low: 0)) }, clock: { now.value })
        log.follow(delivered)
        queue.sync { log.startTerm(cluster: cluster, writer: ann, after: genesis.end, recordVersion: 4) }
        #expect(isStored.wait(timeout: .now() + .seconds(30)) == .success)
        queue.sync { log.becomeWriter() }
        connection.isCut.store(true, ordering: .relaxed)
        return (log, queue, connection)
    }

    @Test func `a deposed writer delivers nothing of what waited behind a frame that was not stored`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let delivered = Mutex<[Int]>([])
        let (log, queue, _) = try makeWriter(folder) { notes in delivered.withLock { $0 += notes } }
        log.mark(1)
        let user = try #require(UserID("ada"))
        let record = Record(event: .userActivated(user), at: 1, by: nil, positions: [])
        if let reservation = log.reserve() { log.append([record], expecting: 1, note: 2, in: reservation) }
        queue.sync {}
        queue.sync {
            // Arrives while the queue is busy deposing the writer.
            log.mark(3)
            log.stepDown()
        }
        queue.sync {}
        let isClosed = DispatchSemaphore(value: 0)
        log.close { isClosed.signal() }
        #expect(isClosed.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(delivered.withLock(\.self) == [1])
    }

    /// Returns records of a total size in bytes.
    private func records(of bytes: Int) throws -> [Record] {
        let channel = try #require(ChannelID("general"))
        let full = String(repeating: "a", count: 1_000_000)
        func record(_ text: String) -> Record {
            Record(event: .metadataSet(channel, ["key": text]), at: 1, by: nil, positions: [])
        }
        var records = (0..<bytes / 1_000_000 - 1).map { _ in record(full) }
        let rest = 100_000
        records.append(record(String(repeating: "a", count: rest)))
        let size = try #require(RecordCoder.encode(records)).count
        records[records.count - 1] = record(String(repeating: "a", count: rest + bytes - size))
        #expect(RecordCoder.encode(records)?.count == bytes)
        return records
    }

    @Test func `records that do not fit into a frame of the shared log are refused before they are applied`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, _, _) = try makeWriter(folder) { _ in }
        let limit = LogFrame.commandLimit
        #expect(log.fits(try records(of: limit)))
        #expect(!log.fits(try records(of: limit + 1)))
        // The engine then cancels the reservation, and the log goes on.
        if let reservation = log.reserve() { log.cancel(reservation) }
        #expect(log.isSettled)
    }

    @Test func `a log that refuses reservations is settled once everything decided is stored`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, queue, _) = try makeWriter(folder) { _ in }
        let user = try #require(UserID("ada"))
        guard let unused = log.reserve(), let used = log.reserve() else { throw CancellationError() }
        queue.sync { log.setAcceptsReservations(false) }
        if let third = log.reserve() {
            log.cancel(third)
            Issue.record("it accepted a reservation")
        }
        #expect(!log.isSettled)
        log.cancel(unused)
        #expect(!log.isSettled)
        log.append(
            [Record(event: .userActivated(user), at: 1, by: nil, positions: [])], expecting: 1, note: 1, in: used)
        queue.sync {}
        // The store does not answer.
        #expect(!log.isSettled)
    }

    @Test func `a question for the last frame waits for a message that other nodes may have seen`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, queue, store) = try makeWriter(folder) { _ in }
        let answers = Mutex<[UInt64]>([])
        func ask() { queue.sync { log.findLastFrame { frame in answers.withLock { $0.append(frame) } } } }
        ask()
        #expect(answers.withLock(\.self) == [0])
        let user = try #require(UserID("ada"))
        let record = Record(event: .userActivated(user), at: 1, by: nil, positions: [])
        if let reservation = log.reserve() { log.append([record], expecting: 1, note: 1, in: reservation) }
        queue.sync {}
        ask()
        #expect(answers.withLock(\.self) == [0])
        // Without an answer of the store, the asking node would go on alone.
        now.add(1_000)
        queue.sync { log.tick() }
        #expect(answers.withLock(\.self) == [0, 0])
        ask()
        store.isCut.store(false, ordering: .relaxed)
        for _ in 0..<3_000 where answers.withLock({ $0.count < 3 }) {
            now.add(1)
            queue.sync { log.tick() }
            usleep(10_000)
        }
        #expect(answers.withLock(\.self) == [0, 0, 1])
    }

    /// Waits until the log has a number of messages, and returns those after the genesis and the start of the term.
    private func messages(
        _ count: Int, in store: MemoryLogConnection, _ queue: DispatchQueue, _ log: ReplicatedLog<Int>
    ) throws -> [LogMessage] {
        for _ in 0..<3_000 where store.entries.count < count {
            now.add(1)
            queue.sync { log.tick() }
            usleep(10_000)
        }
        return try store.entries.dropFirst(2).map { try LogMessage($0.message) }
    }

    @Test func `a log writes older records until its version is raised, and each message names their version`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, queue, store) = try makeWriter(folder) { _ in }
        store.isCut.store(false, ordering: .relaxed)
        let quote = Event.Quote(kind: .text, createdAt: 1, text: "parent")
        let id = MessageID(high: 1, low: 1)
        let reply = Event.MessageSent(
            channel: channel(), id: id, kind: .text, text: "reply", parent: id, replyToChannel: true, quote: quote)
        func append(_ sequence: UInt64) {
            let record = Record(
                event: .messageSent(reply), at: 1, by: nil,
                positions: [RoomOffset(room: .channel(channel()), offset: sequence)])
            guard let reservation = log.reserve() else { return }
            log.append([record], expecting: sequence, note: Int(sequence), in: reservation)
        }
        append(1)
        _ = try messages(3, in: store, queue, log)
        queue.sync {
            log.raise(recordVersion: 5)
            log.raise(recordVersion: 4)
        }
        append(2)
        let written = try messages(4, in: store, queue, log)
        let quotes = try written.map { message -> Event.Quote? in
            guard case .batch(let frames) = message.content, frames.count == 1,
                case .messageSent(let sent) = try RecordCoder.decode(frames[0].payload)[0].event
            else { throw CancellationError() }
            return sent.quote
        }
        #expect(written.map(\.recordVersion) == [4, 5])
        #expect(quotes == [nil, quote])
        // PR3: what an import adds cannot be written before every node reads version 6.
        let started = Event.importStarted(.init(id: "i", source: "s"))
        let imported = [Record(event: started, at: 1, by: nil, positions: [])]
        #expect(!log.canExpress(imported) && log.canExpress([]))
        queue.sync { log.raise(recordVersion: 6) }
        #expect(log.canExpress(imported))
    }

    @Test func `a message that the log shows is stored although the reply is lost`() throws {
        let folder = NSTemporaryDirectory() + "belfry-log-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let delivered = Mutex<[Int]>([])
        let (log, queue, store) = try makeWriter(folder) { notes in delivered.withLock { $0 += notes } }
        store.losesReplies.store(true, ordering: .relaxed)
        store.isCut.store(false, ordering: .relaxed)
        let user = try #require(UserID("ada"))
        for number in 1...3 {
            let record = Record(event: .userActivated(user), at: 1, by: nil, positions: [])
            if let reservation = log.reserve() {
                log.append([record], expecting: UInt64(number), note: number, in: reservation)
            }
            for _ in 0..<3_000 where store.log.entries.count < 2 + number { usleep(10_000) }
            let entry = try #require(store.log.entries.last)
            #expect(entry.number == UInt64(2 + number))
            #expect(!log.isSettled)
            // One that has another content is not this node's.
            queue.sync { log.saw(LogEntry(number: entry.number, message: entry.message + [0])) }
            #expect(!log.isSettled)
            queue.sync { log.saw(entry) }
            #expect(log.isSettled)
            queue.sync { log.saw(entry) }
        }
        let isClosed = DispatchSemaphore(value: 0)
        log.close { isClosed.signal() }
        #expect(isClosed.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(delivered.withLock(\.self) == [1, 2, 3])
    }
}
