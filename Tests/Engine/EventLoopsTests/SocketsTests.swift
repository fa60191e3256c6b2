import CEpoll
import EventLoops
import Glibc
import Testing

@Suite struct SocketsTests {
    @Test(arguments: ["127.0.0.1", "localhost", "::1", "::"])
    func `bytes flow in both directions over a connection`(host: String) throws {
        guard let listener = try listening(on: host) else { return }  // a machine without IPv6
        let port = try #require(Sockets.localAddress(of: listener.rawValue)).port
        let target = host == "::" ? "127.0.0.1" : host
        let client = try connected(to: target, port: port)
        let server = try accepted(at: listener.rawValue, from: host == "::1" ? "::1" : "127.0.0.1")
        #expect(nobodyWaits(at: listener.rawValue))
        try Sockets.setNoDelay(server.rawValue)

        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(buffer.withUnsafeMutableBytes { Sockets.read(server.rawValue, into: $0) } == .wouldBlock)
        write("hello", to: client.rawValue)
        #expect(read(server.rawValue) == "hello")
        write("hi", to: server.rawValue)
        #expect(read(client.rawValue) == "hi")
        Sockets.shutdownWrite(client.rawValue)
        #expect(buffer.withUnsafeMutableBytes { Sockets.read(server.rawValue, into: $0) } == .endOfStream)
        #expect(Sockets.write(server.rawValue, UnsafeRawBufferPointer(start: nil, count: 0)) == .bytes(0))
    }

    @Test(arguments: ["", "example.com", "127.0.0.1:80", "999.1.1.1", "[::1]", " localhost"])
    func `a host that is not an IP literal is refused without a lookup`(host: String) {
        #expect(throws: SystemError(operation: "getaddrinfo", errno: EINVAL)) {
            _ = try Sockets.listen(host: host, port: 0, backlog: 8, reusePort: false)
        }
        #expect(throws: SystemError(operation: "getaddrinfo", errno: EINVAL)) {
            _ = try Sockets.connect(host: host, port: 80)
        }
    }

    @Test func `a port in use is refused`() throws {
        let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 8, reusePort: false)
        let port = try #require(Sockets.localAddress(of: listener.rawValue)).port
        #expect(throws: SystemError(operation: "bind", errno: EADDRINUSE)) {
            _ = try Sockets.listen(host: "127.0.0.1", port: port, backlog: 8, reusePort: false)
        }
    }

    @Test func `the loop reports a refused connection to its handler`() throws {
        let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 8, reusePort: false)
        let port = try #require(Sockets.localAddress(of: listener.rawValue)).port
        listener.close()
        guard let client = try connecting(to: port) else { return }
        let number = client.rawValue
        try withLoop { loop in
            var error: SystemError?
            let decided = Signal()
            try loop.sync {
                var registration: Registration?
                let handler = Handler { readiness in
                    #expect(readiness.contains(.error))
                    error = Sockets.pendingError(of: number)
                    registration.map(loop.remove)
                    decided.send()
                }
                registration = try loop.add(number, interest: .writable, handler: handler)
            }
            #expect(decided.wait())
            #expect(loop.sync { error } == SystemError(operation: "socket", errno: ECONNREFUSED))
        }
        client.close()
    }

    @Test func `two loops share a port, and both accept connections`() throws {
        let count = 300
        try withLoop { first in
            try withLoop { second in
                let one = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 1024, reusePort: true)
                let port = try #require(Sockets.localAddress(of: one.rawValue)).port
                let two = try Sockets.listen(host: "127.0.0.1", port: port, backlog: 1024, reusePort: true)
                let accepted = Signal()
                let acceptors = [Acceptor(one.rawValue, accepted), Acceptor(two.rawValue, accepted)]
                for (loop, acceptor) in zip([first, second], acceptors) {
                    loop.sync { #expect(throws: Never.self) { try acceptor.start(on: loop) } }
                }
                var clients: [Client] = []
                for _ in 0..<count { clients.append(Client(try connected(to: "127.0.0.1", port: port))) }
                for _ in 0..<count { try #require(accepted.wait()) }
                let shares = [first.sync { acceptors[0].count }, second.sync { acceptors[1].count }]
                #expect(shares.reduce(0, +) == count)
                #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")
                for (loop, acceptor) in zip([first, second], acceptors) { loop.sync { acceptor.stop(on: loop) } }
                withExtendedLifetime(clients) {}
                one.close()
                two.close()
            }
        }
    }

    @Test func `writing to a closed peer is an error, not a signal`() throws {
        let pair = try SocketPair()
        #expect(shutdown(pair.far.rawValue, Int32(SHUT_RDWR)) == 0)
        let result = [UInt8(1)].withUnsafeBytes { Sockets.write(pair.near.rawValue, $0) }
        #expect(result == .failed(SystemError(operation: "send", errno: EPIPE)))
    }

    @Test func `accepting on something other than a listener fails`() throws {
        let pair = try SocketPair()
        switch Sockets.accept(on: pair.near.rawValue) {
        case .failed(let error): #expect(error == SystemError(operation: "accept4", errno: EINVAL))
        default: Issue.record("a socket pair listens")
        }
    }

    @Test func `an error has the system's description`() {
        #expect("\(SystemError(operation: "bind", errno: EACCES))" == "bind: Permission denied (13)")
    }

    /// Runs in a separate process, because it uses up all descriptors.
    @Test func `accept reports descriptor exhaustion, and the limit can be raised`() async {
        await #expect(processExitsWith: .success) {
            let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 8, reusePort: false)
            let port = try #require(Sockets.localAddress(of: listener.rawValue)).port
            let client = try connected(to: "127.0.0.1", port: port)
            var limit = rlimit()
            try #require(belfry_get_file_limit(&limit) == 0)
            let hard = limit.rlim_max
            limit.rlim_cur = 0
            try #require(belfry_set_file_limit(&limit) == 0)
            switch Sockets.accept(on: listener.rawValue) {
            case .exhausted: break
            default: exit(1)
            }
            try #require(Sockets.raiseFileLimit() == Int(clamping: hard))
            switch Sockets.accept(on: listener.rawValue) {
            case .connection: break
            default: exit(2)
            }
            client.close()
        }
    }
}

/// Confined to the queue of its loop.
private final class Acceptor: ReadinessHandler, @unchecked Sendable {
    private let listener: Int32
    private let accepted: Signal
    private var registration: Registration?
    private(set) var count = 0

    init(_ listener: Int32, _ accepted: Signal) {
        self.listener = listener
        self.accepted = accepted
    }

    func start(on loop: EventLoop) throws(SystemError) {
        registration = try loop.add(listener, interest: .readable, handler: self)
    }

    func stop(on loop: EventLoop) {
        registration.map(loop.remove)
    }

    func ready(_ readiness: Readiness) {
        while case .connection(let descriptor, _) = Sockets.accept(on: listener) {
            descriptor.close()
            count += 1
            accepted.send()
        }
    }
}

private final class Client {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}

/// Returns a listener on a free port; nil if the machine does not have the address.
private func listening(on host: String) throws -> FileDescriptor? {
    do {
        return try Sockets.listen(host: host, port: 0, backlog: 8, reusePort: false)
    } catch {
        // A `where` on this catch crashes the compiler of Swift 6.3.1.
        try #require([EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errno), "\(error)")
        return nil
    }
}

private func accepted(at listener: Int32, from expected: String) throws -> FileDescriptor {
    switch Sockets.accept(on: listener) {
    case .connection(let descriptor, let peer):
        #expect(peer == expected)
        return descriptor
    default:
        throw SystemError(operation: "nobody at the listener", errno: 0)
    }
}

/// Returns a connection attempt to a port without a listener; nil if the kernel reports the failure immediately.
private func connecting(to port: UInt16) throws -> FileDescriptor? {
    do {
        switch try Sockets.connect(host: "127.0.0.1", port: port) {
        case .connected(let descriptor): return descriptor
        case .inProgress(let descriptor): return descriptor
        }
    } catch {
        #expect(error == SystemError(operation: "connect", errno: ECONNREFUSED))
        return nil
    }
}

private func nobodyWaits(at listener: Int32) -> Bool {
    switch Sockets.accept(on: listener) {
    case .wouldBlock: true
    default: false
    }
}

/// Returns a connection, for whose outcome it waits at most ten seconds.
private func connected(to host: String, port: UInt16) throws -> FileDescriptor {
    switch try Sockets.connect(host: host, port: port) {
    case .connected(let descriptor):
        return descriptor
    case .inProgress(let descriptor):
        var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        try #require(poll(&request, 1, 10_000) == 1)
        #expect(Sockets.pendingError(of: descriptor.rawValue) == nil)
        return descriptor
    }
}
