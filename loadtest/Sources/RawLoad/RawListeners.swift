/// Connections that listen and do nothing else, spoken to on one thread, each for itself: who loses its connection stays
/// away, and the others go on.
public final class RawListeners {
    private let poll: RawPoll
    private var connections: [RawConnection] = []

    public init() throws { poll = try RawPoll(keepsLosses: true) }

    /// Connects them, 64 at a time, until all of them are in the room.
    ///
    /// - Parameter hear: Told of the payload of every frame with data that comes to a listener, while it is read.
    /// - Throws: `RawLoadError` when one is not let in.
    public func gather(
        _ users: [String], dialect: Dialect, port: UInt16, deadline seconds: Double = 60,
        hear: @escaping (_ listener: Int, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws {
        connections = try poll.gather(users.indices, seconds: seconds) { number in
            try RawConnection(
                dialect: dialect, port: port, publishes: false, user: users[number], server: "the server"
            ) { hear(number, $0) }
        }
    }

    /// Waits so long at most for something to come, and takes it.
    public func turn(milliseconds: Int32) throws { try poll.turn(milliseconds: milliseconds) }

    /// Ends all connections.
    ///
    /// - Returns: Why each one had lost its own before; nil for those that had not.
    public func leave() -> [String?] {
        defer {
            poll.removeAll()
            connections = []
        }
        return connections.map(\.loss)
    }
}
