import Simulation
import TestSupport
import Testing

@testable import Replication

@Suite struct AppendQueueTests {
    private static let genesis = WrittenLog()

    private func makeQueue(_ frames: Int, sizeLimit: Int = LogMessage.sizeLimit) -> AppendQueue {
        var queue = AppendQueue(
            cluster: cluster, writer: ann, after: Self.genesis.end, recordVersion: 4, sizeLimit: sizeLimit)
        for serial in 0..<frames { queue.append(frame(UInt64(serial)), at: Int64(serial)) }
        return queue
    }

    private func message(_ request: AppendQueue.Request?) throws -> LogMessage {
        guard case .append(let bytes, _, _) = try #require(request) else { throw LogMessageError.malformed }
        return try LogMessage(bytes)
    }

    // MARK: Messages

    @Test func `the first message starts the term, and the next ones contain what gathered`() throws {
        var queue = makeQueue(3)
        let start = try message(queue.next(at: 5))
        #expect(start.content == .termStart)
        #expect(start.term == 1)
        #expect(queue.next(at: 5) == nil)
        guard case .stored(_, []) = queue.appended(.stored(2), at: 5) else { throw LogMessageError.malformed }
        let batch = try message(queue.next(at: 5))
        #expect(batch.content == .batch([frame(0), frame(1), frame(2)]))
        #expect(batch.previous == LogDigest(of: start.encoded()))
        queue.append(frame(3), at: 6)
        #expect(queue.next(at: 6) == nil)
        let progress = queue.appended(.stored(3), at: 7)
        let numbered = (0..<3).map { NumberedFrame(number: $0 + 1, frame: frame($0)) }
        #expect(progress == .stored(LogEntry(number: 3, message: batch.encoded()), numbered))
        #expect(try message(queue.next(at: 7)).content == .batch([frame(3)]))
        _ = queue.appended(.refused("full"), at: 7)
        #expect(try message(queue.next(at: 1_000)).firstFrame == 4)
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `no message is larger than the limit, and full ones are nearly that large`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var log = WrittenLog()
        let limit = random.pick([600, 1_000, 5_000])
        let frames = (1...60).map { random.frame(UInt64($0)) }
        log.append(frames, by: node(String(repeating: "n", count: 1 + random.below(64)), start: .max), sizeLimit: limit)
        #expect(log.committed.map(\.frame) == frames)
        #expect(log.entries.allSatisfy { $0.message.count <= limit })
        let size = log.entries.reduce(0) { $0 + $1.message.count }
        #expect(log.entries.count < 4 * size / limit + 3)
    }

    @Test func `the largest frame fits into the parts that a reader accepts`() throws {
        let refusal = [UInt8](repeating: 1, count: LogFrame.refusalLimit)
        let large = frame(1, [UInt8](repeating: 7, count: LogFrame.payloadLimit), refusal: refusal)
        #expect(large.fits)
        #expect(!frame(1, large.payload + [7]).fits)
        var log = WrittenLog()
        log.append([large], by: node(String(repeating: "n", count: 64)), sizeLimit: LogMessage.sizeLimit)
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var frames: [NumberedFrame] = []
        for entry in log.entries { frames += try reader.receive(entry).compactMap(\.frame) }
        // Comparing 64 MiB with `#expect` would print them.
        let isSame = frames == [NumberedFrame(number: 1, frame: large)]
        #expect(isSame)
    }

    @Test func `only identical messages have the same id`() throws {
        func id(_ queue: AppendQueue) throws -> String {
            var queue = queue
            guard case .append(_, _, let id) = queue.next(at: 0) else { throw LogMessageError.malformed }
            return id
        }
        #expect(try id(makeQueue(0)) == id(makeQueue(0)))
        let other = AppendQueue(cluster: cluster, writer: bob, after: Self.genesis.end, recordVersion: 4)
        #expect(try id(makeQueue(0)) != id(other))
        let restarted = AppendQueue(
            cluster: cluster, writer: node("ann", start: 2), after: Self.genesis.end, recordVersion: 4)
        #expect(try id(makeQueue(0)) != id(restarted))
    }

    // MARK: Outcomes

    @Test func `an append with an unknown outcome is repeated as it was`() throws {
        var queue = makeQueue(0)
        let request = queue.next(at: 0)
        #expect(queue.appended(.unknown, at: 1_000) == .waiting)
        queue.append(frame(1), at: 1_000)
        #expect(queue.nextRequest == 1_100)
        #expect(queue.next(at: 1_099) == nil)
        #expect(queue.next(at: 1_100) == request)
        #expect(queue.nextRequest == nil)
        #expect(queue.appended(.refused("full"), at: 1_200) == .waiting)
        #expect(queue.next(at: 1_699) == nil)
        #expect(queue.next(at: 1_700) == request)
    }

    @Test func `after a conflict, the message in the place decides`() throws {
        var queue = makeQueue(0)
        let request = queue.next(at: 0)
        guard case .append(let bytes, 1, _) = request else { throw LogMessageError.malformed }
        #expect(queue.appended(.conflict, at: 0) == .waiting)
        #expect(queue.next(at: 0) == .read(number: 2))
        #expect(queue.next(at: 0) == nil)
        #expect(queue.read(.failure(.unreachable), at: 0) == .waiting)
        #expect(queue.next(at: 99) == nil)
        #expect(queue.next(at: 100) == .read(number: 2))
        // Nothing is there: the append may be tried again.
        #expect(queue.read(.success([]), at: 100) == .waiting)
        #expect(queue.next(at: 199) == nil)
        #expect(queue.next(at: 200) == request)
        #expect(queue.appended(.conflict, at: 200) == .waiting)
        #expect(queue.next(at: 200) == .read(number: 2))
        var lost = queue
        let ours = LogEntry(number: 2, message: bytes)
        #expect(queue.read(.success([ours]), at: 200) == .stored(ours, []))
        #expect(!queue.isLost)
        let other = LogEntry(number: 2, message: bytes + [0])
        #expect(lost.read(.success([other]), at: 200) == .lost)
        #expect(lost.isLost)
        lost.append(frame(1), at: 200)
        #expect(lost.next(at: .max) == nil)
        #expect(lost.nextRequest == nil)
    }

    @Test func `a message stored under another number is checked`() {
        var queue = makeQueue(0)
        _ = queue.next(at: 0)
        #expect(queue.appended(.stored(7), at: 0) == .waiting)
        #expect(queue.next(at: 0) == .read(number: 2))
        #expect(queue.read(.failure(.dropped(first: 8)), at: 0) == .lost)
    }

    @Test func `the queue tells how long frames have waited`() {
        var queue = makeQueue(0)
        #expect(queue.isEmpty)
        #expect(queue.oldestAge(at: 50) == 0)
        for serial in 1...3 as ClosedRange<Int64> { queue.append(frame(UInt64(serial)), at: 100 * serial) }
        #expect(queue.oldestAge(at: 250) == 150)
        #expect(queue.count(olderThan: 100, at: 300) == 1)
        #expect(queue.count(olderThan: 99, at: 300) == 2)
        #expect(queue.bytes == 9)
        _ = queue.next(at: 300)
        _ = queue.appended(.stored(2), at: 300)
        _ = queue.next(at: 300)
        #expect(!queue.isEmpty)
        _ = queue.appended(.stored(3), at: 300)
        #expect(queue.isEmpty)
        #expect(queue.bytes == 0)
        #expect(queue.oldestAge(at: 300) == 0)
    }

    // MARK: A store with faults

    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `over a store with faults, no frame is lost, doubled or out of order`(seed: UInt64) throws {
        let scene = WriterScene(seed: seed)
        scene.run()
        #expect(scene.committed.map(\.frame) == scene.frames)
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var stored: [NumberedFrame] = []
        for entry in scene.store.entries { stored += try reader.receive(entry).compactMap(\.frame) }
        #expect(stored == scene.committed)
    }

    @Test func `every outcome of an append occurs, also for the same message`() {
        var outcomes = WriterScene.Outcomes()
        for seed in 1...60 as ClosedRange<UInt64> {
            let scene = WriterScene(seed: seed)
            scene.run()
            outcomes.add(scene.outcomes)
        }
        let counts = [
            outcomes.stored, outcomes.refused, outcomes.unknown, outcomes.conflicts, outcomes.found, outcomes.empty,
        ]
        #expect(counts.allSatisfy { $0 > 10 }, "\(outcomes)")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `once another node has the term, nothing more is stored or committed`(seed: UInt64) throws {
        let scene = WriterScene(seed: seed)
        scene.takeOver(afterMessages: 3 + Int(seed % 7))
        scene.run()
        #expect(scene.isLost)
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var stored: [NumberedFrame] = []
        for entry in scene.store.entries { stored += try reader.receive(entry).compactMap(\.frame) }
        #expect(stored.starts(with: scene.committed))
        #expect(scene.frames.starts(with: stored.map(\.frame)))
        #expect(reader.term == LogTerm(number: 2, writer: bob))
    }
}

/// A writer and a simulated store with faults.
///
/// Confined to the test's thread, which stands in for the store's queue.
private final class WriterScene: @unchecked Sendable {
    struct Outcomes {
        var (stored, refused, unknown, conflicts) = (0, 0, 0, 0)
        /// Reads after a conflict that found the writer's own message, or none.
        var (found, empty) = (0, 0)

        mutating func add(_ other: Self) {
            stored += other.stored
            refused += other.refused
            unknown += other.unknown
            conflicts += other.conflicts
            found += other.found
            empty += other.empty
        }
    }

    let timeline = Timeline()
    let store: SimulatedLogStore
    private(set) var frames: [LogFrame] = []
    private(set) var committed: [NumberedFrame] = []
    private(set) var isLost = false
    private(set) var outcomes = Outcomes()
    private let connection: SimulatedLogConnection
    private var queue: AppendQueue
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        store = SimulatedLogStore(timeline: timeline, seed: seed)
        connection = store.connect()
        let log = WrittenLog()
        _ = store.append(log.entries[0].message, expecting: 0, id: "genesis")
        var mix = SplitMix(seed: seed)
        store.faults = SimulatedLogStore.Faults(using: &mix)
        queue = AppendQueue(cluster: cluster, writer: ann, after: log.end, recordVersion: 4, sizeLimit: 1_000)
    }

    /// Lets another node append the start of the next term.
    func takeOver(afterMessages count: Int) {
        guard store.entries.count >= count else { return timeline.after(5) { self.takeOver(afterMessages: count) } }
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        for entry in store.entries { _ = try? reader.receive(entry) }
        guard let end = reader.end else { return }
        var other = AppendQueue(cluster: cluster, writer: bob, after: end, recordVersion: 4)
        guard case .append(let bytes, let last, let id) = other.next(at: 0) else { return }
        while case .refused = store.append(bytes, expecting: last, id: id) {}
        guard store.entries.last?.message != bytes else { return }
        timeline.after(5) { self.takeOver(afterMessages: count) }
    }

    func run() {
        for serial in 1...40 as ClosedRange<UInt64> {
            let frame = random.frame(serial)
            frames.append(frame)
            timeline.after(random.below(2_000)) { self.add(serial) }
        }
        pump()
        timeline.run(milliseconds: 4_000)
        store.isAvailable = false
        timeline.run(milliseconds: 3_000)
        store.isAvailable = true
        timeline.run(milliseconds: 10_000)
        store.faults = .none
        timeline.run(milliseconds: 10_000)
    }

    /// Adds the frames up to this one that are not yet in the queue, so that they are in order.
    private func add(_ serial: UInt64) {
        while added < serial {
            queue.append(frames[Int(added)], at: timeline.now)
            added += 1
        }
        pump()
    }

    private var added: UInt64 = 0

    private func pump() {
        while let request = queue.next(at: timeline.now) {
            switch request {
            case .append(let bytes, let last, let id):
                connection.append(bytes, expecting: last, id: id) { outcome in
                    switch outcome {
                    case .stored: self.outcomes.stored += 1
                    case .conflict: self.outcomes.conflicts += 1
                    case .refused: self.outcomes.refused += 1
                    case .unknown: self.outcomes.unknown += 1
                    }
                    self.handle(self.queue.appended(outcome, at: self.timeline.now))
                }
            case .read(let number):
                connection.read(from: number, bytes: 1) { result in
                    if case .success(let entries) = result {
                        if entries.isEmpty { self.outcomes.empty += 1 } else { self.outcomes.found += 1 }
                    }
                    self.handle(self.queue.read(result, at: self.timeline.now))
                }
            }
        }
        guard let due = queue.nextRequest else { return }
        timeline.after(Int(due - timeline.now)) { self.pump() }
    }

    private func handle(_ progress: AppendQueue.Progress) {
        switch progress {
        case .waiting: break
        case .stored(_, let frames): committed += frames
        case .lost: isLost = true
        }
        pump()
    }
}
