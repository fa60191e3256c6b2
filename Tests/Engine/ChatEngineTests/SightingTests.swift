import ChatDomain
import ChatModel
import Synchronization
import Testing

@testable import ChatEngine

/// Covers `US7`.
@Suite struct SightingTests {
    private func sighted(_ bench: Bench) -> [Event.Sighting]? {
        guard case .usersSeen(let sightings) = bench.log.frames.last?.last?.event else { return nil }
        return sightings
    }

    private func record(_ bench: Bench) {
        bench.engine.recordSightings()
        bench.settle()
    }

    @Test func `US7: a clean shutdown records who left, and the next startup reads it`() {
        let first = Bench()
        first.attach(bob)
        first.detach(bob)
        record(first)
        #expect(sighted(first) == [.init(user: bob, leftAt: 1_780_000_000_000)])
        let frames = first.log.frames
        record(first)
        #expect(first.log.frames.count == frames.count, "there is no news")
        let second = Bench(log: HandDrivenLog(frames: frames), clock: { 1_790_000_000_000 })
        record(second)
        #expect(second.log.frames.count == frames.count, "the next process has nothing to add")
    }

    @Test func `US7: after a crash, connected users count as seen at the last record, or as reconnected`() {
        let first = Bench()
        first.attach(ann)
        first.attach(bob)
        record(first)
        #expect(sighted(first) == [.init(user: ann, leftAt: nil), .init(user: bob, leftAt: nil)])
        let second = Bench(log: HandDrivenLog(frames: first.log.frames), clock: { 1_790_000_000_000 })
        second.attach(ann)
        record(second)
        #expect(sighted(second) == [.init(user: bob, leftAt: 1_780_000_000_000)])
    }

    @Test func `US7: the engine records last-seen times a minute after a change and while a user is connected`() {
        let timers = Mutex<[(delay: Int, body: @Sendable () -> Void)]>([])
        let bench = Bench(later: { delay, body in timers.withLock { $0.append((delay, body)) } })
        /// Lets a minute pass.
        func wait() {
            let due = timers.withLock { timers in
                defer { timers = [] }
                return timers
            }
            for timer in due where timer.delay == 60_000 { bench.engine.queue.enter(timer.body) }
            bench.settle()
        }
        bench.attach(bob)
        bench.attach(ann)
        let frames = bench.log.frames.count
        let scheduled = timers.withLock { timers in timers.count { $0.delay == 60_000 } }
        #expect(scheduled == 1)
        wait()
        #expect(sighted(bench)?.map(\.user) == [bob, ann] && bench.log.frames.count == frames + 1)
        wait()
        #expect(sighted(bench) == [] && bench.log.frames.count == frames + 2, "the time alone")
        bench.detach(bob)
        bench.detach(ann)
        bench.log.fill()
        wait()
        #expect(bench.log.frames.count == frames + 2, "without space it waits")
        bench.log.empty()
        wait()
        #expect(sighted(bench)?.allSatisfy { $0.leftAt != nil } == true && bench.log.frames.count == frames + 3)
        wait()
        #expect(bench.log.frames.count == frames + 3 && bench.log.reserved == 0)
        let isIdle = timers.withLock(\.isEmpty)
        #expect(isIdle, "nobody is there: nothing is looked at any more")
    }
}
