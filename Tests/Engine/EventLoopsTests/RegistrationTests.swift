import Glibc
import Testing

@testable import EventLoops

@Suite struct RegistrationTests {
    /// Two descriptors are readable in one batch. The handler of the first removes the other and registers a third,
    /// silent descriptor in its slot. The other's event is still in the batch and must reach nobody.
    @Test func `an event for a removed registration reaches neither it nor its slot's next owner`() throws {
        try withLoop { loop in
            let pairs = try [SocketPair(), SocketPair()]
            let third = try SocketPair()
            for pair in pairs { write("a", to: pair.far.rawValue) }
            var registrations: [Registration] = []
            var calls = [0, 0]
            var heardByThird: [String] = []
            let (replaced, heard) = (Signal(), Signal())
            try loop.sync {
                for number in 0...1 {
                    let handler = Handler { _ in
                        calls[number] += 1
                        _ = read(pairs[number].near.rawValue)
                        let other = registrations[1 - number]
                        loop.remove(other)
                        let next = Handler { _ in
                            heardByThird.append(read(third.near.rawValue) ?? "nothing")
                            heard.send()
                        }
                        let registration = try? loop.add(third.near.rawValue, interest: .readable, handler: next)
                        #expect(registration?.index == other.index)
                        #expect(registration != other)
                        replaced.send()
                    }
                    registrations.append(
                        try loop.add(pairs[number].near.rawValue, interest: .readable, handler: handler))
                }
            }
            #expect(replaced.wait())
            write("b", to: third.far.rawValue)
            #expect(heard.wait())
            loop.sync {
                #expect(calls.reduce(0, +) == 1)
                #expect(heardByThird == ["b"])
            }
        }
    }

    @Test func `dropping an interest takes effect within the same batch`() throws {
        try withLoop { loop in
            let pairs = try [SocketPair(), SocketPair()]
            for pair in pairs { write("a", to: pair.far.rawValue) }
            var registrations: [Registration] = []
            var calls: [Int] = []
            let called = Signal()
            try loop.sync {
                for number in 0...1 {
                    let handler = Handler { _ in
                        calls.append(number)
                        _ = read(pairs[number].near.rawValue)
                        loop.setInterest([], for: registrations[1 - number])
                        called.send()
                    }
                    registrations.append(
                        try loop.add(pairs[number].near.rawValue, interest: .readable, handler: handler))
                }
            }
            #expect(called.wait())
            let other = loop.sync {
                #expect(calls.count == 1)
                let other = 1 - (calls.first ?? 0)
                loop.setInterest(.readable, for: registrations[other])
                return other
            }
            #expect(called.wait())
            #expect(loop.sync { calls.last } == other)
        }
    }

    @Test func `removing a registration twice, or changing a removed one, does nothing`() throws {
        try withLoop { loop in
            let (first, second) = (try SocketPair(), try SocketPair())
            let heard = Signal()
            try loop.sync {
                let gone = try loop.add(first.near.rawValue, interest: .readable, handler: Handler { _ in })
                loop.remove(gone)
                let handler = Handler { _ in
                    if read(second.near.rawValue) == "a" { heard.send() }
                }
                _ = try loop.add(second.near.rawValue, interest: .readable, handler: handler)
                loop.remove(gone)
                loop.setInterest([], for: gone)
            }
            write("a", to: second.far.rawValue)
            #expect(heard.wait())
        }
    }

    @Test func `a handler can remove another one when it is released`() throws {
        try withLoop { loop in
            let (first, second) = (try SocketPair(), try SocketPair())
            try loop.sync {
                let inner = try loop.add(first.near.rawValue, interest: .readable, handler: Handler { _ in })
                let outer = try loop.add(
                    second.near.rawValue, interest: .readable,
                    handler: Handler(onRelease: { loop.remove(inner) }, { _ in }))
                loop.remove(outer)
            }
            #expect(watchers(of: first.near.rawValue) == 0)
            #expect(watchers(of: second.near.rawValue) == 0)
        }
    }

    @Test func `epoll data round-trips slot and generation`() {
        for (index, generation) in [(0, 0), (1, UInt32.max), (UInt32.max, 1)] as [(UInt32, UInt32)] {
            let registration = Registration(index: index, generation: generation)
            #expect(Registration(epollData: registration.epollData) == registration)
        }
    }
}
