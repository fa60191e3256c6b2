import ChatModel
import DequeModule

/// One event on its way to one webhook.
struct Delivery {
    let serial: UInt64
    /// The number of its frame in the log.
    let frame: UInt64
    let type: String
    let id: String
    let body: [UInt8]
    /// The serial of the dead letter that it was.
    var letter: UInt64?
    var attempts = 0
}

/// What waits for one webhook, in order; the oldest gives way where too much does.
struct WaitingLine {
    private let limits: WebhookLimits
    private var deliveries: Deque<Delivery> = []
    private var bytes = 0
    private var lastSerial: UInt64 = 0

    init(_ limits: WebhookLimits) { self.limits = limits }

    var first: Delivery? { deliveries.first }

    /// - Returns: What gave way.
    mutating func append(_ type: String, id: String, body: [UInt8], of frame: UInt64) -> [Delivery] {
        lastSerial += 1
        deliveries.append(Delivery(serial: lastSerial, frame: frame, type: type, id: id, body: body))
        bytes += body.count
        return giveWay { line in
            line.deliveries.count > limits.queueEvents || line.bytes > limits.queueBytes
        }
    }

    /// A dead letter. Nothing gives way to it.
    ///
    /// - Parameter frame: The one whose events come next.
    /// - Returns: Whether there was room.
    mutating func append(_ letter: DeadLetter, _ body: [UInt8], serial: UInt64, before frame: UInt64) -> Bool {
        guard deliveries.count < limits.queueEvents, bytes + body.count <= limits.queueBytes else { return false }
        lastSerial += 1
        deliveries.append(
            Delivery(
                serial: lastSerial, frame: frame, type: letter.type, id: letter.eventID, body: body, letter: serial))
        bytes += body.count
        return true
    }

    /// - Returns: What gave way, because its frames lie too far back from this one.
    mutating func passed(_ frame: UInt64) -> [Delivery] {
        let lag = UInt64(clamping: limits.lagFrames)
        guard frame > lag else { return [] }
        return giveWay { line in (line.first?.frame).map { $0 <= frame - lag } ?? false }
    }

    /// It may have given way meanwhile.
    mutating func remove(_ delivery: Delivery) {
        if first?.serial == delivery.serial { removeFirst() }
    }

    mutating func noteFailure(of delivery: Delivery) {
        if first?.serial == delivery.serial { deliveries[0].attempts += 1 }
    }

    mutating func removeAll() {
        deliveries = []
        bytes = 0
    }

    private mutating func removeFirst() {
        if let first = deliveries.popFirst() { bytes -= first.body.count }
    }

    private mutating func giveWay(while condition: (WaitingLine) -> Bool) -> [Delivery] {
        var gone: [Delivery] = []
        while let first, condition(self) {
            removeFirst()
            gone.append(first)
        }
        return gone
    }
}
