import CSockets
import Glibc

/// One publisher and its subscribers at one server, all on the calling thread.
///
/// The same load for every server: connections of its own, frames made and taken apart here, every message counted and
/// held against its place. A connection hears all messages in order, or there is a problem.
public final class RawCrowd {
    private let dialect: Dialect
    private let port: UInt16
    private let poll: Int32
    private var publisher: RawConnection?
    private var subscribers: [RawConnection] = []
    private var byDescriptor: [Int32: RawConnection] = [:]
    private var input = [UInt8](repeating: 0, count: 1 << 18)
    private var published = 0
    /// Messages that came, at all subscribers together.
    public private(set) var delivered = 0

    public init(dialect: Dialect, port: UInt16) throws {
        (self.dialect, self.port) = (dialect, port)
        poll = epoll_create1(0)
        guard poll >= 0 else { throw RawLoadError("epoll: \(String(cString: strerror(errno)))") }
    }

    deinit { close(poll) }

    /// The publisher first, who makes the room; then the subscribers, 64 at a time.
    public func gather(_ count: Int, deadline seconds: Double = 60) throws {
        publisher = try connect("publisher", publishes: true)
        try wait(seconds: seconds, for: "the publisher") { publisher?.stage == .ready }
        while subscribers.count < count {
            let arriving = try (0..<min(64, count - subscribers.count)).map {
                try connect("s\(subscribers.count + $0)", publishes: false)
            }
            try wait(seconds: seconds, for: "subscribers") { arriving.allSatisfy { $0.stage == .ready } }
            subscribers += arriving
        }
        // Servers without answers may still be about to let the last ones in.
        try settle(milliseconds: 300)
    }

    /// Sends the next messages with one write, and waits until everybody has them.
    ///
    /// - Parameter bytes: Of one event, where the server leaves that to the sender.
    /// - Throws: `RawLoadError` when something does not come within 30 seconds.
    public func publish(_ count: Int, bytes: Int) throws {
        let frames = (published..<(published + count)).flatMap { dialect.message($0, bytes: bytes) }
        published += count
        let due = delivered + count * subscribers.count
        try publisher?.write(frames)
        try wait(seconds: 30, for: "\(due) deliveries, of which \(delivered) came") { delivered >= due }
    }

    /// Bytes of the event in the last frame that a subscriber got.
    public var eventBytes: Int { subscribers.first?.lastFrame ?? 0 }

    /// What did not come exactly once and in order; empty when all is well.
    public var problems: [String] {
        let wrong = subscribers.filter { $0.misplaced > 0 || $0.expected != published }
        guard let first = wrong.first else { return [] }
        return [
            "\(wrong.count) subscribers did not hear all \(published) messages once and in order; the first heard"
                + " \(first.expected) and \(first.misplaced) out of place"
        ]
    }

    private func connect(_ user: String, publishes: Bool) throws -> RawConnection {
        let connection = try RawConnection(dialect: dialect, port: port, publishes: publishes, user: user)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = connection.descriptor
        guard epoll_ctl(poll, EPOLL_CTL_ADD, connection.descriptor, &event) == 0 else {
            throw RawLoadError("epoll: \(String(cString: strerror(errno)))")
        }
        byDescriptor[connection.descriptor] = connection
        return connection
    }

    private func wait(seconds: Double, for what: @autoclosure () -> String, until done: () -> Bool) throws {
        let deadline = Self.now + seconds
        while !done() {
            guard Self.now < deadline else { throw RawLoadError("waited \(seconds) s for \(what())") }
            try turn(milliseconds: 100)
        }
    }

    /// Takes what comes while nothing is asked: answers, pings.
    public func settle(milliseconds: Int) throws {
        let end = Self.now + Double(milliseconds) / 1_000
        while Self.now < end { try turn(milliseconds: 10) }
    }

    private func turn(milliseconds: Int32) throws {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        let ready = epoll_wait(poll, &events, 256, milliseconds)
        guard ready > 0 else { return }
        for event in events[..<Int(ready)] {
            guard let connection = byDescriptor[event.data.fd] else { continue }
            let count = recv(connection.descriptor, &input, input.count, 0)
            guard count > 0 else { throw RawLoadError("a connection was closed") }
            delivered += try input.withUnsafeBytes {
                try connection.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
