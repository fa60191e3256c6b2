import CSockets
import Glibc

/// Polls the connections of a comparison on the calling thread.
///
/// One poll serves all servers, so that connections to the others still answer pings during one server's turn.
public final class RawPoll {
    private let descriptor: Int32
    private var connections: [Int32: RawConnection] = [:]
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    private var input = [UInt8](repeating: 0, count: 1 << 18)

    /// Whether a lost connection is recorded and the others continue.
    private let keepsLosses: Bool

    public init(keepsLosses: Bool = false) throws {
        self.keepsLosses = keepsLosses
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { throw RawLoadError("epoll: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func add(_ connection: RawConnection) throws {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = connection.descriptor
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, connection.descriptor, &event) == 0 else {
            throw RawLoadError("epoll: \(String(cString: strerror(errno)))")
        }
        connections[connection.descriptor] = connection
    }

    /// Removes the connections, which close with their last owner.
    func removeAll() { connections = [:] }

    /// Waits for input for at most this long, and handles it.
    ///
    /// - Throws: `RawLoadError` if a connection ended, unless losses are kept.
    func turn(milliseconds: Int32) throws { try turn(nanoseconds: Int(milliseconds) * 1_000_000) }

    /// Like `turn(milliseconds:)`, for waits shorter than a millisecond.
    func turn(nanoseconds: Int) throws {
        var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        let ready = epoll_pwait2(descriptor, &events, Int32(events.count), &time, nil)
        for index in 0..<max(0, Int(ready)) {
            guard let connection = connections[events[index].data.fd] else { continue }
            do {
                try receive(connection)
            } catch {
                guard keepsLosses else { throw error }
                connection.loss = "\(error)"
                connections[connection.descriptor] = nil
                epoll_ctl(descriptor, EPOLL_CTL_DEL, connection.descriptor, nil)
            }
        }
    }

    private func receive(_ connection: RawConnection) throws {
        let count = recv(connection.descriptor, &input, input.count, 0)
        guard count > 0 else {
            let reason = count == 0 ? "by the server" : String(cString: strerror(errno))
            throw RawLoadError("the connection of \(connection.name) was closed (\(reason))")
        }
        try input.withUnsafeBytes { try connection.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Handles unrequested input, such as late replies and pings.
    public func settle(milliseconds: Int) throws {
        let end = Self.now + Double(milliseconds) / 1_000
        while Self.now < end { try turn(milliseconds: 10) }
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
