import ChatModel
import DequeModule
import Journal

/// One event to deliver to one webhook.
struct WebhookDelivery {
    let serial: UInt64
    /// The number of the event's frame in the log.
    let frame: UInt64
    let type: String
    let id: String
    let body: [UInt8]
    var sharer = Sharer.app
    /// The serial of the dead letter being replayed; nil for other events.
    var letter: UInt64?
    var attempts = 0
}

extension WebhookDelivery {
    init(serial: UInt64, _ entry: OverflowFile.Entry) {
        self.init(
            serial: serial, frame: entry.frame, type: entry.type, id: entry.id, body: entry.body, sharer: entry.sharer)
    }
}

/// A webhook's waiting events in order: first those in memory, then those in overflow files. Beyond the limit, the
/// oldest event is dropped. Once the queue is half full, a sharer that has used up its share cannot add more.
struct DeliveryQueue {
    private let limits: WebhookLimits
    private var deliveries: Deque<WebhookDelivery> = []
    private var bytes = 0
    private var shares: Shares
    private var overShare = 0
    /// Empty whenever memory holds no events.
    private var overflow: OverflowFile?
    private var lastSerial: UInt64 = 0
    private var unreadable = 0
    private static let readAtOnce = 64

    /// - Parameter overflow: If nil, the queue is limited to memory.
    init(_ limits: WebhookLimits, overflow: OverflowFile?) {
        self.limits = limits
        self.overflow = overflow
        // Files hold any number of events.
        shares = Shares(
            events: overflow == nil ? limits.queueEvents : .max,
            bytes: overflow == nil ? limits.queueBytes : limits.queueBytes + limits.overflowBytes)
    }

    /// Returns the number of events refused because of a share since the last call.
    mutating func resetOverShareCount() -> Int {
        defer { overShare = 0 }
        return overShare
    }

    /// Returns the number of events lost in unreadable files since the last call.
    mutating func resetUnreadableCount() -> Int {
        defer { unreadable = 0 }
        return unreadable
    }

    var first: WebhookDelivery? { deliveries.first }
    var count: Int { deliveries.count + (overflow?.count ?? 0) }

    /// - Parameter sharer: The sharer that caused the event.
    /// - Returns: The dropped events, possibly including this one.
    mutating func append(
        _ type: String, id: String, body: [UInt8], of frame: UInt64, by sharer: Sharer = .app
    ) -> [WebhookDelivery] {
        let entry = OverflowFile.Entry(frame: frame, type: type, id: id, body: body, sharer: sharer)
        guard shares.admits(body.count, from: sharer) else {
            overShare += 1
            return [WebhookDelivery(serial: 0, entry)]
        }
        let isFull = deliveries.count >= limits.queueEvents || bytes + body.count > limits.queueBytes
        shares.add(body.count, from: sharer)
        if overflow?.isEmpty == false || overflow != nil && isFull && first != nil { return appendToOverflow(entry) }
        add(entry)
        return evict { queue in
            queue.deliveries.count > queue.limits.queueEvents || queue.bytes > queue.limits.queueBytes
        }
    }

    private mutating func appendToOverflow(_ entry: OverflowFile.Entry) -> [WebhookDelivery] {
        do throws(DiskError) { try overflow?.append(entry) } catch {
            // Earlier events keep waiting.
            shares.remove(entry.body.count, from: entry.sharer)
            return [WebhookDelivery(serial: 0, entry)]
        }
        return evict { queue in (queue.overflow?.bytes ?? 0) > queue.limits.overflowBytes }
    }

    private mutating func add(_ entry: OverflowFile.Entry) {
        lastSerial += 1
        deliveries.append(WebhookDelivery(serial: lastSerial, entry))
        bytes += entry.body.count
    }

    /// Adds a dead letter, without dropping an event for it.
    ///
    /// - Parameter frame: The next frame whose events will arrive.
    /// - Returns: Whether there was room.
    mutating func append(_ letter: DeadLetter, _ body: [UInt8], serial: UInt64, before frame: UInt64) -> Bool {
        guard overflow?.isEmpty ?? true, deliveries.count < limits.queueEvents, bytes + body.count <= limits.queueBytes
        else { return false }
        lastSerial += 1
        deliveries.append(
            WebhookDelivery(
                serial: lastSerial, frame: frame, type: letter.type, id: letter.eventID, body: body, letter: serial))
        bytes += body.count
        shares.add(body.count, from: .app)
        return true
    }

    /// - Returns: The events dropped because they lag too far behind this frame.
    mutating func advance(to frame: UInt64) -> [WebhookDelivery] {
        let lag = UInt64(clamping: limits.lagFrames)
        guard frame > lag else { return [] }
        return evict { queue in (queue.first?.frame).map { $0 <= frame - lag } ?? false }
    }

    /// - Returns: The dropped events.
    mutating func drop(through frame: UInt64) -> [WebhookDelivery] {
        evict { queue in (queue.first?.frame).map { $0 <= frame } ?? false }
    }

    /// Removes a delivery, which may already have been dropped.
    mutating func remove(_ delivery: WebhookDelivery) {
        if first?.serial == delivery.serial { removeFirst() }
    }

    mutating func recordFailure(of delivery: WebhookDelivery) {
        if first?.serial == delivery.serial { deliveries[0].attempts += 1 }
    }

    mutating func removeAll() {
        deliveries = []
        bytes = 0
        overflow?.removeAll()
        shares.removeAll()
    }

    private mutating func removeFirst() {
        if let first = deliveries.popFirst() {
            bytes -= first.body.count
            shares.remove(first.body.count, from: first.sharer)
        }
        guard deliveries.isEmpty, overflow?.isEmpty == false else { return }
        while deliveries.count < min(Self.readAtOnce, limits.queueEvents), bytes < limits.queueBytes {
            do throws(DiskError) {
                guard let entry = try overflow?.removeFirst() else { return }
                add(entry)
            } catch {
                unreadable += overflow?.count ?? 0
                overflow?.removeAll()
                shares.removeAll()
                for delivery in deliveries { shares.add(delivery.body.count, from: delivery.sharer) }
                return
            }
        }
    }

    private mutating func evict(while condition: (DeliveryQueue) -> Bool) -> [WebhookDelivery] {
        var evicted: [WebhookDelivery] = []
        while let first, condition(self) {
            removeFirst()
            evicted.append(first)
        }
        return evicted
    }
}
