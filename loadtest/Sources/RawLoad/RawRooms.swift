/// The members of many small rooms at one server, all on the calling thread: each listens and sends in one room.
///
/// Members are numbered room by room, from 0: member 17 of rooms of 8 is in room 2.
public final class RawRooms {
    private let name: String
    private let dialect: Dialect
    private let port: UInt16
    private let roomSize: Int
    private let poll: RawPoll
    private var members: [RawConnection?]
    private let onMessage: (_ member: Int, _ sequence: Int) -> Void

    /// - Parameters:
    ///   - name: The server's name, for errors.
    ///   - onMessage: Receives each delivery of a message.
    public init(
        name: String, dialect: Dialect, port: UInt16, rooms: Int, roomSize: Int,
        onMessage: @escaping (_ member: Int, _ sequence: Int) -> Void
    ) throws {
        (self.name, self.dialect, self.port, self.roomSize) = (name, dialect, port, roomSize)
        self.onMessage = onMessage
        poll = try RawPoll()
        members = Array(repeating: nil, count: rooms * roomSize)
    }

    /// Connects the first member of each room, who creates it, and then the others, 64 at a time.
    ///
    /// - Throws: `RawLoadError` when one cannot connect or enter the room.
    public func gather(deadline seconds: Double = 60) throws {
        let firsts = members.indices.filter { $0 % roomSize == 0 }
        let others = members.indices.filter { $0 % roomSize != 0 }
        for numbers in [firsts, others] {
            let connections = try poll.gather(numbers.indices, seconds: seconds) { try connect(numbers[$0]) }
            for (number, connection) in zip(numbers, connections) { members[number] = connection }
        }
        // Servers that do not answer may not have entered the last ones yet.
        try poll.settle(milliseconds: 300)
    }

    private func connect(_ member: Int) throws -> RawConnection {
        try RawConnection(
            dialect: dialect, port: port, seat: seat(of: member), user: "m\(member)", server: name
        ) { [onMessage] payload in
            Marker.forEach(in: payload) { onMessage(member, $0) }
        }
    }

    private func seat(of member: Int) -> Seat {
        .member(room: member / roomSize, isFirst: member % roomSize == 0)
    }

    /// Sends one message to everyone in the member's room.
    public func send(_ sequence: Int, from member: Int, textBytes: Int) throws {
        try members[member]?.write(dialect.message(sequence, from: seat(of: member), textBytes: textBytes))
    }

    /// Waits at most this long for input, and handles it.
    ///
    /// - Throws: `RawLoadError` when a connection ended.
    public func turn(nanoseconds: Int) throws { try poll.turn(nanoseconds: nanoseconds) }

    /// Handles what still arrives in that time.
    public func settle(milliseconds: Int) throws { try poll.settle(milliseconds: milliseconds) }

    /// Closes all connections.
    public func leave() {
        poll.removeAll()
        members = []
    }
}
