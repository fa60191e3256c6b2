/// Connections that only listen, all handled on one thread. A lost connection is not reopened, and the others continue.
public final class RawListeners {
    private let poll: RawPoll
    private var connections: [RawConnection] = []

    public init() throws { poll = try RawPoll(keepsLosses: true) }

    /// Connects the listeners, 64 at a time, until all of them are in the room.
    ///
    /// - Parameters:
    ///   - ports: The port that each of them connects to.
    ///   - onPayload: Receives the payload of each data frame of a listener; it is valid during the call.
    /// - Throws: `RawLoadError` when one cannot connect.
    public func gather(
        _ users: [String], dialect: Dialect, ports: [UInt16], deadline seconds: Double = 60,
        onPayload: @escaping (_ listener: Int, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws {
        connections = try poll.gather(users.indices, seconds: seconds) { number in
            try RawConnection(
                dialect: dialect, port: ports[number], seat: .subscriber, user: users[number], server: "the server"
            ) { onPayload(number, $0) }
        }
    }

    /// Waits for input for at most this long, and handles it.
    public func turn(milliseconds: Int32) throws { try poll.turn(milliseconds: milliseconds) }

    /// Closes all connections.
    ///
    /// - Returns: The reason why each connection was lost earlier; nil for those that were not.
    public func leave() -> [String?] {
        defer {
            poll.removeAll()
            connections = []
        }
        return connections.map(\.loss)
    }
}
