/// One publisher and its subscribers at one server, all on the calling thread.
///
/// The same load for every server: connections of its own, frames made and taken apart here, every message counted and
/// held against its place. A connection hears all messages in order, or there is a problem.
public final class RawCrowd {
    private let name: String
    private let dialect: Dialect
    private let port: UInt16
    private let poll: RawPoll
    private let tally = RawTally()
    private var publisher: RawConnection?
    private var subscribers: [RawConnection] = []
    private var published = 0

    /// - Parameter name: The server's, for what goes wrong.
    public init(name: String, dialect: Dialect, port: UInt16, poll: RawPoll) {
        (self.name, self.dialect, self.port, self.poll) = (name, dialect, port, poll)
    }

    /// The publisher first, who makes the room; then the subscribers, 64 at a time.
    public func gather(_ count: Int, deadline seconds: Double = 60) throws {
        publisher = try connect("p", publishes: true)
        try wait(seconds: seconds, for: "the publisher") { publisher?.stage == .ready }
        while subscribers.count < count {
            let arriving = try (0..<min(64, count - subscribers.count)).map {
                try connect("s\(subscribers.count + $0)", publishes: false)
            }
            try wait(seconds: seconds, for: "subscribers") { arriving.allSatisfy { $0.stage == .ready } }
            subscribers += arriving
        }
        // Servers without answers may still be about to let the last ones in.
        try poll.settle(milliseconds: 300)
    }

    /// Sends the next messages with one write, and waits until everybody has them.
    ///
    /// - Parameter bytes: Of one event, where the server leaves that to the sender.
    /// - Throws: `RawLoadError` when something does not come within 30 seconds.
    public func publish(_ count: Int, bytes: Int) throws {
        let frames = (published..<(published + count)).flatMap { dialect.message($0, bytes: bytes) }
        published += count
        let due = tally.delivered + count * subscribers.count
        try publisher?.write(frames)
        try wait(seconds: 30, for: "\(due) deliveries, of which \(tally.delivered) came") { tally.delivered >= due }
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
        let connection = try RawConnection(
            dialect: dialect, port: port, publishes: publishes, user: user, server: name, tally: tally)
        try poll.add(connection)
        return connection
    }

    private func wait(seconds: Double, for what: @autoclosure () -> String, until done: () -> Bool) throws {
        let deadline = RawPoll.now + seconds
        while !done() {
            guard RawPoll.now < deadline else { throw RawLoadError("waited \(seconds) s for \(what())") }
            try poll.turn(milliseconds: 100)
        }
    }
}

/// What came to the subscribers of one crowd together.
final class RawTally {
    /// Messages.
    var delivered = 0
}
