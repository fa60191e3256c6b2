import DequeModule

/// One event on its way to one webhook.
struct Delivery {
    let serial: UInt64
    /// The number of its frame in the log.
    let frame: UInt64
    let id: String
    let body: [UInt8]
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

    /// - Returns: How many gave way.
    mutating func append(id: String, body: [UInt8], of frame: UInt64) -> Int {
        lastSerial += 1
        deliveries.append(Delivery(serial: lastSerial, frame: frame, id: id, body: body))
        bytes += body.count
        return giveWay { line in
            line.deliveries.count > limits.queueEvents || line.bytes > limits.queueBytes
        }
    }

    /// - Returns: How many gave way, because their frames lie too far back from this one.
    mutating func passed(_ frame: UInt64) -> Int {
        let lag = UInt64(clamping: limits.lagFrames)
        guard frame > lag else { return 0 }
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

    private mutating func giveWay(while condition: (WaitingLine) -> Bool) -> Int {
        var count = 0
        while first != nil, condition(self) {
            removeFirst()
            count += 1
        }
        return count
    }
}
