import ChatModel
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ChatEngine

@Suite(.timeLimit(.minutes(10)))
struct BatchQueueTests {
    /// A record of events in order: a number for each item of work, text for other events.
    private final class Diary: Sendable {
        private let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    private let diary = Diary()
    private let queue = DispatchQueue(label: "batches")

    private func batches() -> BatchQueue {
        BatchQueue(queue: queue) { [diary] _, batch in
            diary.note("[")
            batch()
            diary.note("]")
        }
    }

    private func work(_ number: Int) -> BatchQueue.Item { work { [diary] in diary.note("\(number)") } }
    private func work(_ body: @escaping @Sendable () -> Void) -> BatchQueue.Item {
        .work(.server, .server, bytes: nil) {
            body()
            return BatchQueue.Turn(cost: 1)
        }
    }
    private func barrier(_ name: String) -> BatchQueue.Item { .barrier { [diary] in diary.note(name) } }

    @Test func `queued items form one batch, in order`() {
        let batches = batches()
        queue.suspend()
        for number in 1...3 { batches.post(work(number)) }
        queue.resume()
        queue.sync {}
        #expect(diary.all == ["[", "1", "2", "3", "]"])
        batches.post(work(4))
        queue.sync {}
        #expect(diary.all.suffix(3) == ["[", "4", "]"])
    }

    @Test func `a barrier runs after the preceding batch has finished`() {
        let batches = batches()
        queue.suspend()
        for item in [work(1), barrier("a"), barrier("b"), work(2), work(3), barrier("c")] { batches.post(item) }
        queue.resume()
        queue.sync {}
        // Items that follow a barrier may be part of the batch before it.
        #expect(diary.all == ["[", "1", "2", "3", "]", "a", "b", "c"])
    }

    @Test func `a batch ends after two milliseconds, whatever its items are charged`() {
        let time = Mutex<Int64>(0)
        let batches = BatchQueue(queue: queue, clock: { time.withLock(\.self) }) { [diary] _, batch in
            diary.note("[")
            batch()
        }
        queue.suspend()
        for number in 1...5 {
            batches.post(
                work { [diary] in
                    time.withLock { $0 += 1 }
                    diary.note("\(number)")
                })
        }
        queue.resume()
        drain(batches)
        #expect(diary.all == ["[", "1", "2", "[", "3", "4", "[", "5"])
    }

    @Test func `each batch executes at least one item, however fast the clock runs`() {
        let time = Mutex<Int64>(0)
        let tick: @Sendable () -> Int64 = {
            time.withLock {
                $0 += 1_000
                return $0
            }
        }
        let batches = BatchQueue(queue: queue, clock: tick) { $1() }
        queue.suspend()
        for number in 1...3 { batches.post(work(number)) }
        queue.resume()
        drain(batches)
        #expect(diary.all == ["1", "2", "3"])
    }

    @Test func `a batch has a maximum size`() {
        let batches = batches()
        queue.suspend()
        for number in 1...2 * BatchQueue.batchLimit + 1 { batches.post(work(number)) }
        queue.resume()
        drain(batches)
        #expect(diary.all.count { $0 == "[" } == 3)
        #expect(diary.all.firstIndex(of: "]") == BatchQueue.batchLimit + 1)
        #expect(diary.all.compactMap { Int($0) } == Array(1...2 * BatchQueue.batchLimit + 1))
    }

    @Test func `items posted during a batch run after it, with other work on the queue in between`() {
        let batches = batches()
        let done = DispatchSemaphore(value: 0)
        queue.suspend()
        batches.post(
            work { [diary, queue] in
                diary.note("1")
                batches.post(
                    .work(.server, .server, bytes: nil) {
                        diary.note("2")
                        done.signal()
                        return BatchQueue.Turn(cost: 1)
                    })
                queue.async { diary.note("other") }
            })
        queue.resume()
        done.wait()
        queue.sync {}
        #expect(diary.all == ["[", "1", "]", "other", "[", "2", "]"])
    }

    @Test func `an item posted without a wake-up waits for one, unless many items accumulate`() {
        let batches = batches()
        batches.post(work(1), wakes: false)
        batches.post(work(2), wakes: false)
        queue.sync {}
        #expect(diary.all == [])
        batches.wake()
        queue.sync {}
        #expect(diary.all == ["[", "1", "2", "]"])
        batches.wake()
        queue.sync {}
        #expect(diary.all == ["[", "1", "2", "]"])
        batches.post(work(3), wakes: false)
        batches.post(work(4))
        queue.sync {}
        #expect(diary.all.suffix(4) == ["[", "3", "4", "]"])
        for number in 1...BatchQueue.wakeLimit { batches.post(work(100 + number), wakes: false) }
        queue.sync {}
        #expect(diary.all.count { $0.count == 3 } == BatchQueue.wakeLimit)
    }

    // MARK: Entered by callers

    /// Returns batches that record their thread, `self` for the caller's.
    private func enteredBatches() -> BatchQueue {
        let caller = pthread_self()
        return BatchQueue(queue: queue, runsOnCallers: true) { [diary] isOnCaller, batch in
            #expect(isOnCaller == (pthread_equal(caller, pthread_self()) != 0))
            diary.note(isOnCaller ? "self" : "other")
            batch()
        }
    }

    private func brief(_ number: Int, _ body: @escaping @Sendable () -> BatchQueue.Turn) -> BatchQueue.Item {
        .work(.server, .server, bytes: nil, isBrief: true) { [diary] in
            diary.note("\(number)")
            return body()
        }
    }
    private func brief(_ number: Int) -> BatchQueue.Item { brief(number) { BatchQueue.Turn(cost: 1) } }

    @Test func `waking an idle queue runs brief work immediately`() {
        let batches = enteredBatches()
        batches.post(brief(1), wakes: false)
        batches.post(brief(2), wakes: false)
        batches.wake()
        #expect(diary.all == ["self", "1", "2"])
        batches.post(brief(3), wakes: false)
        batches.wake()
        #expect(diary.all.suffix(2) == ["self", "3"])
    }

    @Test func `waking an idle queue runs what is brief between batches immediately, and the rest on its own thread`() {
        let batches = enteredBatches()
        let caller = pthread_self()
        func item(isBrief: Bool) -> BatchQueue.Item {
            .betweenBatches(isBrief: isBrief) { [diary] in
                diary.note(pthread_equal(caller, pthread_self()) != 0 ? "between, self" : "between, other")
            }
        }
        batches.post(item(isBrief: true), wakes: false)
        batches.wake()
        #expect(diary.all == ["between, self"])
        batches.post(item(isBrief: true), wakes: false)
        batches.post(item(isBrief: false), wakes: false)
        batches.wake()
        queue.sync {}
        #expect(diary.all.dropFirst() == ["between, other", "between, other"])
    }

    @Test func `potentially long work, and leftover brief work, runs on the queue's own thread`() {
        let batches = enteredBatches()
        batches.post(brief(1), wakes: false)
        batches.post(work(2), wakes: false)
        batches.wake()
        queue.sync {}
        #expect(diary.all == ["other", "1", "2"])
        batches.post(
            brief(3) { [diary] in
                BatchQueue.Turn(cost: 1) {
                    diary.note("rest")
                    return BatchQueue.Turn(cost: 1)
                }
            }, wakes: false)
        batches.wake()
        queue.sync {}
        #expect(diary.all.suffix(4) == ["self", "3", "other", "rest"])
    }

    @Test func `waking a busy queue does not block`() {
        let batches = enteredBatches()
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        batches.post(
            work {
                begun.signal()
                goOn.wait()
            })
        begun.wait()
        batches.post(brief(1), wakes: false)
        batches.wake()
        #expect(diary.all == ["other"])
        goOn.signal()
        queue.sync {}
        queue.sync {}
        #expect(diary.all == ["other", "other", "1"])
    }

    @Test func `a caller also runs work posted by others, but only for a limited time`() {
        let batches = enteredBatches()
        for number in 1...3 { batches.post(again(number, batches), wakes: false) }
        batches.wake()
        for _ in 1...8 { queue.sync {} }
        #expect(diary.all.filter { $0 == "self" }.count == 2)
        #expect(diary.all.filter { $0 == "other" }.count >= 1)
        #expect(diary.all.filter { $0 == "1" }.count == 4)
    }

    /// Returns an item that posts itself again three times.
    private func again(_ number: Int, _ batches: BatchQueue, times: Int = 3) -> BatchQueue.Item {
        brief(number) {
            if times > 0 { batches.post(self.again(number, batches, times: times - 1), wakes: false) }
            return BatchQueue.Turn(cost: 1)
        }
    }

    @Test func `concurrent posts lose nothing`() {
        let batches = batches()
        let count = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 { batches.post(work { count.add(1, ordering: .relaxed) }) }
        }
        let done = DispatchSemaphore(value: 0)
        batches.post(.barrier { done.signal() })
        done.wait()
        #expect(count.load(ordering: .relaxed) == 8_000)
    }

    private func drain(_ batches: BatchQueue) {
        let done = DispatchSemaphore(value: 0)
        batches.post(.barrier { done.signal() })
        done.wait()
        queue.sync {}
    }

    @Test func `a batch of expensive work ends early, so that other work can run between two batches`() {
        let batches = batches()
        queue.suspend()
        for number in 1...3 {
            batches.post(
                .work(.server, .server, bytes: nil) { [diary] in
                    diary.note("\(number)")
                    if number == 1 { batches.post(.betweenBatches { diary.note("between") }) }
                    return BatchQueue.Turn(cost: BatchQueue.batchWork)
                })
        }
        queue.resume()
        drain(batches)
        #expect(diary.all == ["[", "1", "]", "between", "[", "2", "]", "[", "3", "]"])
    }

    @Test func `a barrier waits for the remainder of an item that preceded it`() {
        let batches = batches()
        queue.suspend()
        batches.post(
            .work(.server, .server, bytes: nil) { [diary] in
                diary.note("1")
                return BatchQueue.Turn(cost: 1) {
                    diary.note("rest of 1")
                    return BatchQueue.Turn(cost: 1)
                }
            })
        batches.post(barrier("a"))
        queue.resume()
        drain(batches)
        #expect(diary.all == ["[", "1", "rest of 1", "]", "a"])
    }

    @Test func `a lane accepts a limited number of commands and bytes; others and the server are unaffected`() {
        let limits = BatchQueue.LaneLimits(count: 2, bytes: 100)
        let batches = BatchQueue(queue: queue, limits: limits) { $1() }
        let (eve, ann) = (UserID.guest(1, 1), UserID.guest(2, 2))
        func post(_ user: UserID, _ bytes: Int) -> Bool {
            batches.post(.work(.user(user), .user(user), bytes: bytes) { BatchQueue.Turn(cost: 1) })
        }
        queue.suspend()
        #expect(post(eve, 1) && post(eve, 1))
        #expect(!post(eve, 1))
        #expect(post(ann, 101))
        #expect(!post(ann, 1))
        for _ in 1...10 {
            #expect(batches.post(.work(.server, .server, bytes: 1_000) { BatchQueue.Turn(cost: 1) }))
        }
        queue.resume()
        drain(batches)
        #expect(batches.laneCount == 0)
        #expect(post(eve, 1) && post(ann, 1))
        drain(batches)
    }
}
