import Glibc
import Synchronization
import Testing

@testable import EventLoops

@Suite struct EventLoopLendingTests {
    private func withLoops(_ body: (_ lender: EventLoop, _ borrower: EventLoop) throws -> Void) throws {
        try withLoop { lender in try withLoop { borrower in try body(lender, borrower) } }
    }

    /// Returns once the loop sleeps and no wake-up is pending.
    private func waitUntilAsleep(_ loop: EventLoop) {
        while !loop.mailbox.withLock(\.isAsleep) { usleep(100) }
    }

    @Test func `a loop that posts to a waiting loop runs that loop's turn, including its hooks`() throws {
        try withLoops { lender, borrower in
            let thread = Atomic<UInt>(0)
            let hooks = Atomic(0)
            let done = Signal()
            lender.sync { lender.atEndOfTurn { hooks.add(1, ordering: .relaxed) } }
            let before = hooks.load(ordering: .relaxed)
            waitUntilAsleep(lender)
            borrower.sync {
                lender.lend {
                    lender.assertOnLoop()
                    if lender.isLent, lender.isInTurn { thread.store(UInt(pthread_self()), ordering: .relaxed) }
                    done.send()
                }
                // The closure does not run within the turn that posts it.
                #expect(thread.load(ordering: .relaxed) == 0)
            }
            #expect(done.wait())
            let borrowers = borrower.sync { UInt(pthread_self()) }
            #expect(thread.load(ordering: .relaxed) == borrowers)
            lender.sync { #expect(!lender.isLent) }
            #expect(hooks.load(ordering: .relaxed) > before)
        }
    }

    @Test func `lending from a thread that belongs to no loop wakes the loop itself`() throws {
        try withLoops { lender, _ in
            let done = Signal()
            let own = lender.sync { UInt(pthread_self()) }
            waitUntilAsleep(lender)
            lender.lend { if UInt(pthread_self()) == own, !lender.isLent { done.send() } }
            #expect(done.wait())
        }
    }

    @Test func `a timer scheduled in a lent turn fires, even if the loop is waiting indefinitely`() throws {
        try withLoops { lender, borrower in
            let fired = Signal()
            for _ in 1...3 {
                waitUntilAsleep(lender)
                borrower.sync { lender.lend { _ = lender.schedule(after: .zero) { fired.send() } } }
                #expect(fired.wait())
            }
        }
    }

    @Test func `closures posted in a lent turn run on the loop's own thread`() throws {
        try withLoops { lender, borrower in
            let done = Signal()
            let own = lender.sync { UInt(pthread_self()) }
            waitUntilAsleep(lender)
            borrower.sync {
                lender.lend {
                    lender.post { if UInt(pthread_self()) == own, !lender.isLent { done.send() } }
                }
            }
            #expect(done.wait())
        }
    }

    @Test func `a loop that shuts down in a lent turn shuts down completely`() throws {
        try withLoop { borrower in
            let lender = try EventLoop(label: "test", index: 0)
            let done = Signal()
            waitUntilAsleep(lender)
            borrower.sync { lender.lend { lender.shutdown { done.send() } } }
            #expect(done.wait())
        }
    }

    @Test func `loops that lend to each other run everything once and in order, and never deadlock`() throws {
        try withLoops { first, second in
            let rounds = 10_000
            let count = Atomic(0)
            let done = Signal()
            @Sendable func pass(_ number: Int, to loop: EventLoop, from other: EventLoop) {
                loop.lend {
                    #expect(count.add(1, ordering: .relaxed).newValue == number)
                    if number == rounds { done.send() } else { pass(number + 1, to: other, from: loop) }
                }
            }
            first.post { pass(1, to: second, from: first) }
            #expect(done.wait())
            let order = Mutex<[Int]>([])
            for number in 0..<1_000 {
                first.post { second.lend { order.withLock { $0.append(number) } } }
            }
            first.sync {}
            first.sync {}
            second.sync {}
            #expect(order.withLock(\.self) == Array(0..<1_000))
        }
    }
}
