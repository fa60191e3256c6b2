import Dispatch
import EventLoops
import Glibc
import TLS
import Testing

@Suite struct TLSSocketTests {
    private static let text: [UInt8] = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }

    @Test func `a client and a server simultaneously exchange more than the socket holds`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let (server, client) = try run(
            TLSContext(certificatePath: certificate, keyPath: key), TLSTrust(authoritiesPath: certificate))
        #expect(server.outcomes == ["complete"] && client.outcomes == ["complete"])
        #expect(server.received == Self.text && client.received == Self.text)
    }

    @Test func `a client that does not trust the certificate ends the handshake on both sides`() throws {
        let (authority, other) = (try Authority(), try Authority())
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let (server, client) = try run(
            TLSContext(certificatePath: certificate, keyPath: key),
            TLSTrust(authoritiesPath: other.certificate("certificate", key: other.key("key"))))
        for side in [server, client] {
            #expect(side.outcomes == ["refused"] && side.received.isEmpty)
            #expect(side.result == .failed(SystemError(operation: "SSL_do_handshake", errno: EPROTO)))
        }
    }

    /// Regression: the kernel kept reporting the socket, and the loop ran at full speed until reading resumed.
    @Test func `a failure while reading is paused does not spin the loop, and is reported on resuming`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let context = try TLSContext(certificatePath: certificate, keyPath: key)
        let server = PausingSide { TLSStream(context, socket: $0) }
        let loop = try EventLoop(label: "test", index: 0, tick: .milliseconds(10))
        let (near, far) = try Self.connected()
        defer { FileDescriptor(owning: far).close() }
        loop.post { server.open(near, on: loop) }
        let client = try #require(
            TLSStream(TLSTrust(authoritiesPath: certificate), host: "localhost", socket: far))
        try complete(client, far)
        try #require(server.established.wait(timeout: .now() + .seconds(10)) == .success)

        // The loop gets the good record, the bad one and the end of the stream in one read.
        let gate = DispatchSemaphore(value: 0)
        loop.post { gate.wait() }
        guard case .done(24) = [UInt8](1...24).withUnsafeBytes({ client.write($0) }) else {
            Issue.record("the good record was not written")
            gate.signal()
            return
        }
        let broken: [UInt8] = [23, 3, 3, 0, 5, 1, 2, 3, 4, 5]
        #expect(Glibc.write(far, broken, broken.count) == broken.count)
        Sockets.shutdownWrite(far)
        gate.signal()
        try #require(server.paused.wait(timeout: .now() + .seconds(10)) == .success)

        let turns = Turns()
        loop.post { turns.count(100, on: loop) }
        try #require(turns.over.wait(timeout: .now() + .seconds(10)) == .success)
        #expect(turns.ended < 150, "a loop that spins has a turn for each of the test's own")
        loop.post { server.resume() }
        #expect(server.failed.wait(timeout: .now() + .seconds(10)) == .success)
        let closed = DispatchSemaphore(value: 0)
        loop.post {
            server.close()
            loop.shutdown { closed.signal() }
        }
        try #require(closed.wait(timeout: .now() + .seconds(10)) == .success)
    }

    private static func connected() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Completes a client's handshake on the test's own thread.
    private func complete(_ stream: TLSStream, _ descriptor: Int32) throws {
        while true {
            var wanted = Int16(POLLIN)
            switch stream.handshake() {
            case .done: return
            case .needsReadable: break
            case .needsWritable: wanted = Int16(POLLOUT)
            case .ended, .failed: try #require(Bool(false), "the handshake failed")
            }
            var entry = pollfd(fd: descriptor, events: wanted, revents: 0)
            try #require(poll(&entry, 1, 10_000) == 1)
        }
    }

    /// - Returns: The server's and the client's side, both closed.
    private func run(_ context: TLSContext, _ trust: TLSTrust) throws -> (Side, Side) {
        let server = Side(Self.text) { TLSStream(context, socket: $0) }
        let client = Side(Self.text) { TLSStream(trust, host: "localhost", socket: $0) }
        let loop = try EventLoop(label: "test", index: 0, tick: .milliseconds(10))
        let (near, far) = try Self.connected()
        loop.post {
            server.open(near, on: loop)
            client.open(far, on: loop)
        }
        let isOver = [server, client].allSatisfy { $0.over.wait(timeout: .now() + .seconds(10)) == .success }
        let closed = DispatchSemaphore(value: 0)
        loop.post {
            server.close()
            client.close()
            loop.shutdown { closed.signal() }
        }
        try #require(closed.wait(timeout: .now() + .seconds(10)) == .success && isOver)
        return (server, client)
    }
}

/// One side of a connection. It sends its text once the handshake is complete, and is done once it has received as
/// much. Confined to the queue of its loop; the test reads it after shutdown.
private final class Side: ReadinessHandler, TLSHandshakeOwner, @unchecked Sendable {
    let over = DispatchSemaphore(value: 0)
    private let makeStream: @Sendable (Int32) -> TLSStream?
    private let expected: Int
    private var unsent: ArraySlice<UInt8>
    private var socket: TLSSocket?
    private(set) var outcomes: [String] = []
    private(set) var received: [UInt8] = []
    /// The result of the last read.
    private(set) var result: Sockets.ReadResult?

    init(_ text: [UInt8], _ makeStream: @escaping @Sendable (Int32) -> TLSStream?) {
        self.makeStream = makeStream
        expected = text.count
        unsent = text[...]
    }

    func open(_ descriptor: Int32, on loop: EventLoop) {
        let socket = TLSSocket(FileDescriptor(owning: descriptor), on: loop, of: self)
        self.socket = socket
        do {
            try socket.open([.readable, .writable], handler: self)
        } catch {
            outcomes.append("\(error)")
        }
    }

    func close() {
        socket?.close()
        socket = nil
    }

    func ready(_ readiness: Readiness) {
        guard let socket, received.count < expected || !unsent.isEmpty else { return }
        while !unsent.isEmpty, case .bytes(let count) = unsent.withUnsafeBytes({ socket.write($0) }) {
            unsent = unsent.dropFirst(count)
        }
        if unsent.isEmpty { socket.setInterest(.readable) }
        if readiness.hasInput {
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                let result = socket.read(into: buffer)
                if case .bytes(let count) = result { received += buffer[..<count] }
                self.result = result
            }
        }
        if case .failed = result {
            socket.setInterest([])
            over.signal()
        } else if unsent.isEmpty, received.count >= expected {
            over.signal()
        }
    }

    // MARK: TLSHandshakeOwner

    func stream(over socket: Int32) -> TLSStream? { makeStream(socket) }

    var handshakeTimeout: Duration? { .seconds(10) }

    func claimHandshakeStep() -> Bool { true }

    func handshakeEnded(_ failure: TLSHandshakeFailure?) {
        switch failure {
        case nil: outcomes.append("complete")
        case .peerEnded: outcomes.append("ended")
        case .refused: outcomes.append("refused")
        case .timedOut: outcomes.append("timed out")
        }
    }
}

/// Counts the turns of a loop while the test posts some. Confined to the loop; the test reads it at the end.
private final class Turns: @unchecked Sendable {
    let over = DispatchSemaphore(value: 0)
    private(set) var ended = 0
    private var isOver = false

    func count(_ posts: Int, on loop: EventLoop) {
        loop.atEndOfTurn { if !self.isOver { self.ended += 1 } }
        post(posts, on: loop)
    }

    private func post(_ left: Int, on loop: EventLoop) {
        loop.post {
            if left > 0 { return self.post(left - 1, on: loop) }
            self.isOver = true
            self.over.signal()
        }
    }
}

/// A side that pauses reading at the first bytes. Confined to the queue of its loop.
private final class PausingSide: ReadinessHandler, TLSHandshakeOwner, @unchecked Sendable {
    let established = DispatchSemaphore(value: 0)
    let paused = DispatchSemaphore(value: 0)
    let failed = DispatchSemaphore(value: 0)
    private let makeStream: @Sendable (Int32) -> TLSStream?
    private var socket: TLSSocket?

    init(_ makeStream: @escaping @Sendable (Int32) -> TLSStream?) { self.makeStream = makeStream }

    func open(_ descriptor: Int32, on loop: EventLoop) {
        let socket = TLSSocket(FileDescriptor(owning: descriptor), on: loop, of: self)
        self.socket = socket
        do { try socket.open(.readable, handler: self) } catch { failed.signal() }
    }

    func resume() { socket?.setInterest(.readable) }

    func close() {
        socket?.close()
        socket = nil
    }

    func ready(_ readiness: Readiness) {
        guard let socket, readiness.hasInput else { return }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            switch socket.read(into: buffer) {
            case .bytes:
                socket.setInterest([])
                paused.signal()
            case .failed:
                socket.setInterest([])
                failed.signal()
            case .wouldBlock, .endOfStream: break
            }
        }
    }

    // MARK: TLSHandshakeOwner

    func stream(over socket: Int32) -> TLSStream? { makeStream(socket) }
    var handshakeTimeout: Duration? { nil }
    func claimHandshakeStep() -> Bool { true }
    func handshakeEnded(_ failure: TLSHandshakeFailure?) { established.signal() }
}
