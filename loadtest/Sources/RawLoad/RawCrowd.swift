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
    private var ledgers: [RawLedger] = []
    private var published = 0

    /// - Parameter name: The server's, for what goes wrong.
    public init(name: String, dialect: Dialect, port: UInt16, poll: RawPoll) {
        (self.name, self.dialect, self.port, self.poll) = (name, dialect, port, poll)
    }

    /// The publisher first, who makes the room; then the subscribers, 64 at a time.
    public func gather(_ count: Int, deadline seconds: Double = 60) throws {
        let publisher = try RawConnection(
            dialect: dialect, port: port, publishes: true, user: "p", server: name, hear: { _ in })
        self.publisher = publisher
        try poll.add(publisher)
        try poll.wait(seconds: seconds, for: "the publisher") { publisher.stage == .ready }
        ledgers = (0..<count).map { _ in RawLedger(tally) }
        subscribers = try poll.gather(0..<count, seconds: seconds) { number in
            try RawConnection(
                dialect: dialect, port: port, publishes: false, user: "s\(number)", server: name,
                hear: ledgers[number].note)
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
        try poll.wait(seconds: 30, for: "\(due) deliveries, of which \(tally.delivered) came") {
            tally.delivered >= due
        }
    }

    /// Bytes of the event in the last frame that a subscriber got.
    public var eventBytes: Int { ledgers.first?.lastFrame ?? 0 }

    /// What did not come exactly once and in order; empty when all is well.
    public var problems: [String] {
        let wrong = ledgers.filter { $0.misplaced > 0 || $0.expected != published }
        guard let first = wrong.first else { return [] }
        return [
            "\(wrong.count) subscribers did not hear all \(published) messages once and in order; the first heard"
                + " \(first.expected) and \(first.misplaced) out of place"
        ]
    }
}

/// What came to the subscribers of one crowd together.
private final class RawTally {
    /// Messages.
    var delivered = 0
}

/// What one subscriber has heard.
private final class RawLedger {
    /// Messages heard; the next one has this number.
    private(set) var expected = 0
    /// What came in a wrong order, twice, or after something that is missing.
    private(set) var misplaced = 0
    /// Payload bytes of the last frame that held a message.
    private(set) var lastFrame = 0
    private let tally: RawTally

    init(_ tally: RawTally) { self.tally = tally }

    func note(_ payload: UnsafeRawBufferPointer) {
        Marker.each(in: payload) { sequence in
            if sequence == expected { expected += 1 } else { misplaced += 1 }
            tally.delivered += 1
            lastFrame = payload.count
        }
    }
}

extension RawPoll {
    /// Connects as many as there are numbers, 64 at a time.
    func gather(
        _ numbers: Range<Int>, seconds: Double, _ connect: (Int) throws -> RawConnection
    ) throws -> [RawConnection] {
        var gathered: [RawConnection] = []
        while gathered.count < numbers.count {
            let start = numbers.lowerBound + gathered.count
            let arriving = try (start..<min(start + 64, numbers.upperBound)).map(connect)
            for connection in arriving { try add(connection) }
            try wait(seconds: seconds, for: "subscribers") {
                arriving.allSatisfy { $0.stage == .ready || $0.loss != nil }
            }
            if let loss = arriving.lazy.compactMap(\.loss).first { throw RawLoadError(loss) }
            gathered += arriving
        }
        return gathered
    }

    func wait(seconds: Double, for what: @autoclosure () -> String, until done: () -> Bool) throws {
        let deadline = Self.now + seconds
        while !done() {
            guard Self.now < deadline else { throw RawLoadError("waited \(seconds) s for \(what())") }
            try turn(milliseconds: 100)
        }
    }
}
