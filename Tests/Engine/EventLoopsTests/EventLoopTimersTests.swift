import EventLoops
import Testing

@Suite struct EventLoopTimersTests {
    @Test func `timers fire in order and never early`() throws {
        try withLoop { loop in
            let delays = [50, 10, 30, 10, 0, -20, 99]
            var fired: [Int] = []
            let done = Signal()
            loop.sync {
                let start = ContinuousClock.now
                for delay in delays {
                    _ = loop.schedule(after: .milliseconds(delay)) {
                        #expect(ContinuousClock.now - start >= .milliseconds(delay))
                        fired.append(delay)
                        done.send()
                    }
                }
            }
            for _ in delays { #expect(done.wait()) }
            // Timers of the same tick keep the scheduling order; 0 and less mean the next tick.
            #expect(loop.sync { fired.filter { $0 > 0 } } == [10, 10, 30, 50, 99])
            #expect(loop.sync { fired.prefix(2) } == [0, -20])
        }
    }

    @Test func `a cancelled timer does not fire, even if due in the same tick`() throws {
        try withLoop { loop in
            let done = Signal()
            loop.sync {
                let early = loop.schedule(after: .milliseconds(10)) { Issue.record("fired although cancelled") }
                var sibling: TimerToken?
                _ = loop.schedule(after: .milliseconds(20)) { sibling.map(loop.cancel) }
                sibling = loop.schedule(after: .milliseconds(20)) { Issue.record("fired although cancelled") }
                loop.cancel(early)
                loop.cancel(early)
                _ = loop.schedule(after: .milliseconds(40)) { done.send() }
            }
            #expect(done.wait())
        }
    }

    @Test func `cancelling a fired timer does not cancel the next one`() throws {
        try withLoop { loop in
            let done = Signal()
            loop.sync {
                var token: TimerToken?
                token = loop.schedule(after: .zero) {
                    _ = loop.schedule(after: .zero) { done.send() }
                    token.map(loop.cancel)
                }
            }
            #expect(done.wait())
        }
    }

    @Test func `a timer can cancel another one when it is released`() throws {
        try withLoop { loop in
            loop.sync {
                let inner = loop.schedule(after: .seconds(60)) {}
                let witness = Handler(onRelease: { loop.cancel(inner) }, { _ in })
                let outer = loop.schedule(after: .seconds(60)) { withExtendedLifetime(witness) {} }
                loop.cancel(outer)
            }
        }
    }

    @Test func `end-of-turn hooks run after due timers`() throws {
        try withLoop { loop in
            var log: [String] = []
            let done = Signal()
            loop.sync {
                loop.atEndOfTurn {
                    log.append("hook")
                    if log.contains("timer") { done.send() }
                }
                _ = loop.schedule(after: .zero) { log.append("timer") }
            }
            #expect(done.wait())
            #expect(loop.sync { log.drop { $0 == "hook" }.prefix(2) } == ["timer", "hook"])
        }
    }

    @Test func `more timers than fit into one turn all fire, in order`() throws {
        try withLoop { loop in
            let count = EventLoop.timersPerTurn * 2 + 1
            var fired: [Int] = []
            let done = Signal()
            loop.sync {
                for number in 0..<count {
                    _ = loop.schedule(after: .zero) {
                        fired.append(number)
                        if fired.count == count { done.send() }
                    }
                }
            }
            #expect(done.wait())
            #expect(loop.sync { fired } == Array(0..<count))
        }
    }

    @Test func `the longest delay neither traps nor fires`() throws {
        try withLoop { loop in
            let done = Signal()
            loop.sync {
                _ = loop.schedule(after: .seconds(Int64.max)) { Issue.record("fired after all") }
                _ = loop.schedule(after: .seconds(Int64.min)) { done.send() }
            }
            #expect(done.wait())
        }
    }

    @Test func `a loop without timers does not tick`() throws {
        try withLoop { idle in
            try withLoop { busy in
                #expect(idle.sync { idle.tickCount } == 0)
                // The loop sleeps again after one timer, and after a cancelled one at the next tick.
                let fired = Signal()
                idle.sync { _ = idle.schedule(after: .zero) { fired.send() } }
                #expect(fired.wait())
                idle.sync { idle.cancel(idle.schedule(after: .milliseconds(50)) {}) }
                let before = idle.sync { idle.tickCount }

                let done = Signal()
                busy.sync { _ = busy.schedule(after: .milliseconds(300)) { done.send() } }
                #expect(done.wait())
                #expect(busy.sync { busy.tickCount } > 10)
                #expect(idle.sync { idle.tickCount } <= before + 2)

                idle.sync { _ = idle.schedule(after: .zero) { fired.send() } }
                #expect(fired.wait())
            }
        }
    }
}
