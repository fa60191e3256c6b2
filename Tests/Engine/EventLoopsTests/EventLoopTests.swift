import Dispatch
import EventLoops
import Glibc
import Testing

@Suite struct EventLoopTests {
    @Test func `posts keep their order`() throws {
        try withLoop { loop in
            let order = Order()
            for number in 0..<1000 { loop.post { order.numbers.append(number) } }
            #expect(loop.sync { order.numbers } == Array(0..<1000))
        }
    }

    @Test func `hooks run after the posted closures of a turn, in the order they were added`() throws {
        try withLoop { loop in
            let order = Order()
            loop.sync {
                loop.atEndOfTurn { order.numbers.append(-1) }
                loop.atEndOfTurn { order.numbers.append(-2) }
                for number in 1...2 { loop.post { order.numbers.append(number) } }
            }
            // The first closures may share a turn.
            loop.sync {}
            #expect(loop.sync { order.numbers.prefix(6) } == [-1, -2, 1, 2, -1, -2])
        }
    }

    @Test func `closures posted in a turn run in the next one, up to a maximum per turn`() throws {
        try withLoop { loop in
            let order = Order()
            let done = Signal()
            loop.sync {
                loop.atEndOfTurn {
                    order.numbers.append(order.atPost)
                    order.atPost = 0
                }
                for number in 0...EventLoop.postsPerTurn {
                    loop.post {
                        order.atPost += 1
                        if number == EventLoop.postsPerTurn { done.send() }
                    }
                }
            }
            #expect(done.wait())
            loop.sync {}
            #expect(loop.sync { order.numbers.prefix(3) } == [0, EventLoop.postsPerTurn, 1])
        }
    }

    @Test func `isInTurn is true only on the thread that runs the turn, while hooks are still to run`() throws {
        try withLoop { loop in
            let answers = Order()
            @Sendable func ask() -> Int { loop.isInTurn ? 1 : 0 }
            // Without hooks, nothing remains to run.
            loop.sync { answers.numbers.append(ask()) }
            loop.sync {
                loop.atEndOfTurn { answers.numbers.append(10 + ask()) }
                answers.numbers.append(ask())
                let done = Signal()
                DispatchQueue.global().async {
                    answers.numbers.append(20 + ask())
                    done.send()
                }
                #expect(done.wait())
            }
            #expect(!loop.isInTurn)
            #expect(loop.sync { answers.numbers.prefix(4) } == [0, 1, 20, 11])
        }
    }

    @Test func `hooks run once after a batch of events`() throws {
        try withLoop { loop in
            let pairs = try [SocketPair(), SocketPair()]
            for pair in pairs { write("a", to: pair.far.rawValue) }
            var log: [String] = []
            let done = Signal()
            try loop.sync {
                loop.atEndOfTurn {
                    log.append("hook")
                    if log.contains("a") { done.send() }
                }
                for pair in pairs {
                    let handler = Handler { _ in log.append(read(pair.near.rawValue) ?? "nothing") }
                    _ = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
                }
            }
            #expect(done.wait())
            // The first turn is the one that adds the hook.
            #expect(loop.sync { log.prefix(4) } == ["hook", "a", "a", "hook"])
        }
    }

    @Test func `time is constant within a turn and advances between turns`() throws {
        try withLoop { loop in
            let instants = Instants()
            loop.sync {
                instants.values.append(loop.now())
                let before = ContinuousClock.now
                while ContinuousClock.now == before {}
                instants.values.append(loop.now())
                loop.post { instants.values.append(loop.now()) }
            }
            let values = loop.sync { instants.values }
            #expect(values[0] == values[1])
            #expect(values[1] < values[2])
        }
    }

    @Test func `readability is reported until everything is read`() throws {
        try withLoop { loop in
            let pair = try SocketPair()
            var text = ""
            let done = Signal()
            try loop.sync {
                let handler = Handler { readiness in
                    #expect(readiness == .readable)
                    text += read(pair.near.rawValue, limit: 1) ?? "nothing"
                    if text.count == 20 { done.send() }
                }
                _ = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
            }
            write("twenty bytes at once", to: pair.far.rawValue)
            #expect(done.wait())
            #expect(loop.sync { text } == "twenty bytes at once")
        }
    }

    @Test func `more descriptors than fit into one turn all get their events`() throws {
        try withLoop { loop in
            let pairs = try (0..<EventLoop.eventsPerTurn + 44).map { _ in try SocketPair() }
            for pair in pairs { write("a", to: pair.far.rawValue) }
            let served = Signal()
            try loop.sync {
                for pair in pairs {
                    let handler = Handler { _ in
                        if read(pair.near.rawValue) == "a" { served.send() }
                    }
                    _ = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
                }
            }
            for _ in pairs { try #require(served.wait()) }
        }
    }

    @Test func `a descriptor that is always ready does not starve posts`() throws {
        try withLoop { loop in
            let pair = try SocketPair()
            write("never read", to: pair.far.rawValue)
            let calls = Order()
            let posted = Signal()
            try loop.sync {
                let handler = Handler { _ in
                    calls.numbers.append(calls.numbers.count)
                    guard calls.numbers.count == 1 else { return }
                    loop.post {
                        calls.atPost = calls.numbers.count
                        posted.send()
                    }
                }
                _ = try loop.add(pair.near.rawValue, interest: .readable, handler: handler)
            }
            #expect(posted.wait())
            #expect(loop.sync { calls.atPost } == 1)
        }
    }

    @Test func `writability is reported when the peer has freed space`() throws {
        try withLoop { loop in
            let pair = try SocketPair()
            let block = [UInt8](repeating: 7, count: 1 << 16)
            while case .bytes = block.withUnsafeBytes({ Sockets.write(pair.near.rawValue, $0) }) {}
            var calls = 0
            let writable = Signal()
            try loop.sync {
                let handler = Handler { readiness in
                    #expect(readiness == .writable)
                    calls += 1
                    if calls == 1 { writable.send() }
                }
                _ = try loop.add(pair.near.rawValue, interest: .writable, handler: handler)
            }
            #expect(loop.sync { calls } == 0)
            while read(pair.far.rawValue, limit: 1 << 16) != nil {}
            #expect(writable.wait())
        }
    }

    @Test func `a hangup is reported even without a registered interest`() throws {
        try withLoop { loop in
            let pair = try SocketPair()
            let hungUp = Signal()
            try loop.sync {
                var registration: Registration?
                let handler = Handler { readiness in
                    #expect(readiness == .hangup)
                    registration.map(loop.remove)
                    hungUp.send()
                }
                registration = try loop.add(pair.near.rawValue, interest: [], handler: handler)
            }
            #expect(shutdown(pair.far.rawValue, Int32(SHUT_RDWR)) == 0)
            #expect(hungUp.wait())
        }
    }

    @Test func `a descriptor that cannot be polled is refused`() throws {
        try withLoop { loop in
            let file = FileDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
            let number = file.rawValue
            #expect(throws: SystemError(operation: "epoll_ctl", errno: EPERM)) {
                try loop.sync { _ = try loop.add(number, interest: .readable, handler: Handler { _ in }) }
            }
        }
    }
}

/// Confined to the queue of the loop under test.
private final class Order: @unchecked Sendable {
    var numbers: [Int] = []
    var atPost = 0
}

/// Confined to the queue of the loop under test.
private final class Instants: @unchecked Sendable {
    var values: [ContinuousClock.Instant] = []
}
