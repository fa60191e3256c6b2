import ChatDomain
import Dispatch
import Journal
import Synchronization
import Testing

/// A log of numbers whose queue stands still until the test lets it go.
private final class Held: Sendable {
    let queue = DispatchQueue(label: "log")
    let log: MemoryLog<Int>
    private let batches = Mutex<[[Int]]>([])

    init(pendingFrames: Int = 100) {
        var limits = MemoryLogLimits()
        limits.pendingFrames = pendingFrames
        log = MemoryLog(queue: queue, limits: limits)
        log.follow { notes in self.batches.withLock { $0.append(notes) } }
        queue.suspend()
    }

    /// Lets everything out that waits, and stands still again.
    func handOver() {
        queue.resume()
        queue.sync {}
        queue.suspend()
    }

    var handedOver: [[Int]] { batches.withLock(\.self) }

    /// - Returns: False when there is no space.
    func append(_ sequence: UInt64, note: Int) -> Bool {
        guard let reservation = log.reserve() else { return false }
        log.append([], expecting: sequence, note: note, in: reservation)
        return true
    }

    deinit { queue.resume() }
}

@Suite struct MemoryLogTests {
    @Test func `what queues up while one batch is on its way is the next batch, in order`() {
        let held = Held()
        #expect(held.log.isSynced)
        #expect(held.append(1, note: 10))
        held.log.mark(11)
        #expect(held.append(2, note: 12))
        #expect(!held.log.isSynced && held.handedOver.isEmpty)
        held.handOver()
        #expect(held.handedOver == [[10, 11, 12]])
        #expect(held.log.isSynced)
        held.log.mark(13)
        #expect(!held.log.isSynced)
        held.handOver()
        #expect(held.handedOver == [[10, 11, 12], [13]])
    }

    @Test func `it is not synced while a batch is being told, and what comes meanwhile is told next`() {
        let queue = DispatchQueue(label: "log")
        let log = MemoryLog<Int>(queue: queue)
        let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let batches = Mutex<[[Int]]>([])
        log.follow { notes in
            batches.withLock { $0.append(notes) }
            begun.signal()
            _ = go.wait(timeout: .now() + .seconds(10))
        }
        log.mark(1)
        #expect(begun.wait(timeout: .now() + .seconds(10)) == .success)
        #expect(!log.isSynced, "the follower still works on it")
        log.mark(2)
        log.mark(3)
        go.signal()
        #expect(begun.wait(timeout: .now() + .seconds(10)) == .success)
        go.signal()
        queue.sync {}
        #expect(batches.withLock(\.self) == [[1], [2, 3]])
        #expect(log.isSynced)
    }

    @Test func `reservations and waiting frames share one bound`() {
        let held = Held(pendingFrames: 2)
        #expect(held.append(1, note: 1))
        guard let reservation = held.log.reserve() else {
            Issue.record("there was space for two")
            return
        }
        #expect(held.append(2, note: 2) == false)
        held.log.cancel(reservation)
        #expect(held.append(2, note: 2))
        #expect(held.append(3, note: 3) == false)
        held.log.mark(4)
        held.handOver()
        #expect(held.append(3, note: 3), "handed over is done with")
        held.handOver()
        #expect(held.handedOver == [[1, 2, 4], [3]], "a mark takes no space")
    }

    @Test func `two writers' frames come once each and in each writer's order`() {
        let queue = DispatchQueue(label: "log")
        let log = MemoryLog<Int>(queue: queue)
        let told = Mutex<[Int]>([])
        log.follow { notes in told.withLock { $0 += notes } }
        DispatchQueue.concurrentPerform(iterations: 2) { writer in
            for number in 0..<2_000 { log.mark(writer * 10_000 + number) }
        }
        queue.sync {}
        while !log.isSynced { queue.sync {} }
        let all = told.withLock(\.self)
        #expect(all.filter { $0 < 10_000 } == Array(0..<2_000))
        #expect(all.filter { $0 >= 10_000 } == Array(10_000..<12_000))
    }

    @Test func `it keeps nothing to be read`() {
        let held = Held()
        #expect(held.append(1, note: 1))
        held.handOver()
        var count = 0
        held.log.read(from: 1) { _, _ in count += 1 }
        #expect(count == 0)
    }
}
