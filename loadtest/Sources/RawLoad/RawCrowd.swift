/// One publisher and its subscribers on one server, all handled on the calling thread.
///
/// The load is the same for every server: raw connections, frames encoded and parsed here, and every message checked.
/// Each connection must receive all messages in order.
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

    /// - Parameter name: The server's name, for errors.
    public init(name: String, dialect: Dialect, port: UInt16, poll: RawPoll) {
        (self.name, self.dialect, self.port, self.poll) = (name, dialect, port, poll)
    }

    /// Connects the publisher, which creates the room, and then the subscribers, 64 at a time.
    public func gather(_ count: Int, deadline seconds: Double = 60) throws {
        let publisher = try RawConnection(
            dialect: dialect, port: port, seat: .publisher, user: "p", server: name, onPayload: { _ in })
        self.publisher = publisher
        try poll.add(publisher)
        try poll.wait(seconds: seconds, for: "the publisher") { publisher.stage == .ready }
        ledgers = (0..<count).map { _ in RawLedger(tally) }
        subscribers = try poll.gather(0..<count, seconds: seconds) { number in
            try RawConnection(
                dialect: dialect, port: port, seat: .subscriber, user: "s\(number)", server: name,
                onPayload: ledgers[number].record)
        }
        // Servers that send no replies may not have subscribed the last clients yet.
        try poll.settle(milliseconds: 300)
    }

    /// Sends the next messages in one write and waits until everyone has received them.
    ///
    /// - Parameter bytes: The size of an event, where the sender determines it.
    /// - Throws: `RawLoadError` if a message does not arrive within 30 seconds.
    public func publish(_ count: Int, bytes: Int) throws {
        let frames = (published..<(published + count)).flatMap { dialect.message($0, bytes: bytes) }
        published += count
        let due = tally.delivered + count * subscribers.count
        try publisher?.write(frames)
        try poll.wait(seconds: 30, for: "\(due) deliveries, of which \(tally.delivered) arrived") {
            tally.delivered >= due
        }
    }

    /// The size of the last frame with an event, in bytes.
    public var eventBytes: Int { ledgers.first?.lastFrame ?? 0 }

    /// Descriptions of messages that did not arrive exactly once and in order.
    public var problems: [String] {
        let wrong = ledgers.filter { $0.misplaced > 0 || $0.expected != published }
        guard let first = wrong.first else { return [] }
        return [
            "\(wrong.count) subscribers did not receive all \(published) messages once and in order; the first received"
                + " \(first.expected) in order and \(first.misplaced) out of order"
        ]
    }
}

/// Counts the deliveries to all subscribers of a crowd.
private final class RawTally {
    /// The number of delivered messages.
    var delivered = 0
}

/// Checks what one subscriber received.
private final class RawLedger {
    /// The number of messages received in order, which is the number of the next one.
    private(set) var expected = 0
    /// Messages out of order, duplicates, and messages after a missing one.
    private(set) var misplaced = 0
    /// Payload bytes of the last frame with a message.
    private(set) var lastFrame = 0
    private let tally: RawTally

    init(_ tally: RawTally) { self.tally = tally }

    func record(_ payload: UnsafeRawBufferPointer) {
        Marker.forEach(in: payload) { sequence in
            if sequence == expected { expected += 1 } else { misplaced += 1 }
            tally.delivered += 1
            lastFrame = payload.count
        }
    }
}

extension RawPoll {
    /// Connects one client per number, 64 at a time.
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
