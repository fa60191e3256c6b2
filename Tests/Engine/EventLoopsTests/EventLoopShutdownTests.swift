import EventLoops
import Glibc
import Synchronization
import Testing

@Suite struct EventLoopShutdownTests {
    @Test func `shutdown closes the epoll descriptor and releases the handlers`() throws {
        let loop = try EventLoop(label: "test", index: 0)
        let pair = try SocketPair()
        let released = Signal()
        try loop.sync {
            let handler = Handler(onRelease: { released.send() }, { _ in })
            _ = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
            _ = loop.schedule(after: .seconds(60)) { Issue.record("a timer outlived its loop") }
        }
        #expect(watchers(of: pair.near.rawValue) == 1)
        #expect(shutDown(loop))
        #expect(released.wait())
        #expect(watchers(of: pair.near.rawValue) == 0)
        write("nobody hears", to: pair.far.rawValue)
    }

    /// Runs in a separate process, because other tests open and close descriptors concurrently.
    @Test(.timeLimit(.minutes(1))) func `creating and shutting down loops leaks no descriptors`() async {
        await #expect(processExitsWith: .success) {
            try useLoop()  // Dispatch opens its own descriptors once.
            let before = numbers(in: "/proc/self/fd").count
            for _ in 0..<100 { try useLoop() }
            // The last loop's thread may still have to end.
            while numbers(in: "/proc/self/fd").count > before { usleep(1_000) }
        }
    }

    @Test func `a loop is released after shutdown`() throws {
        let released = Signal()
        do {
            let loop = try EventLoop(label: "test", index: 0)
            let witness = Handler(onRelease: { released.send() }, { _ in })
            loop.sync { loop.atEndOfTurn { withExtendedLifetime(witness) {} } }
            #expect(shutDown(loop))
        }
        #expect(released.wait())
    }

    @Test func `after shutdown, posted closures run, hooks and timers do not, and descriptors are refused`() throws {
        let loop = try EventLoop(label: "test", index: 0, tick: .milliseconds(1))
        let isOver = Atomic(false)
        loop.sync {
            loop.atEndOfTurn { if isOver.load(ordering: .relaxed) { Issue.record("a hook outlived its loop") } }
        }
        #expect(shutDown(loop))
        isOver.store(true, ordering: .relaxed)
        let posted = Signal()
        loop.post { posted.send() }
        #expect(posted.wait())
        let pair = try SocketPair()
        loop.sync {
            loop.cancel(loop.schedule(after: .zero) { Issue.record("a timer outlived its loop") })
            #expect(throws: SystemError(operation: "epoll_ctl", errno: ESHUTDOWN)) {
                _ = try loop.add(pair.near.rawValue, interest: .readable, handler: Handler { _ in })
            }
        }
        #expect(shutDown(loop))
    }

    @Test func `every one of several shutdown calls completes`() throws {
        let loop = try EventLoop(label: "test", index: 0)
        let done = Signal()
        for _ in 0..<3 { loop.shutdown { done.send() } }
        for _ in 0..<3 { #expect(done.wait()) }
    }

    @Test func `a handler that removes itself on release can do so during shutdown`() throws {
        let loop = try EventLoop(label: "test", index: 0)
        let pair = try SocketPair()
        try loop.sync {
            var registration: Registration?
            let handler = Handler(onRelease: { registration.map(loop.remove) }, { _ in })
            registration = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
        }
        #expect(shutDown(loop))
        #expect(watchers(of: pair.near.rawValue) == 0)
    }
}

private func useLoop() throws {
    try withLoop { loop in
        let fired = Signal()
        loop.sync { _ = loop.schedule(after: .zero) { fired.send() } }
        #expect(fired.wait())
    }
}
