import ChatModel
import Dispatch
import Journal
import Synchronization

/// Delivers events to one webhook, one at a time, retrying each until it is accepted or abandoned.
///
/// A lock guards the waiting events, because a queue of blocks cannot be bounded. `post` is confined to `queue`.
final class WebhookSender: @unchecked Sendable {
    private struct Waiting {
        var target: WebhookTarget
        var deliveries: DeliveryQueue
        /// The last frame whose events have all arrived.
        var published: UInt64
        /// Whether `work` is running or has been dispatched.
        var isScheduled = false
        var isStarted = false
        /// False while another node of the cluster sends.
        var isSending: Bool
        var isStopped = false
        /// Events dropped since the last notice.
        var droppedSinceNotice = 0
        var lastNoticeAt: Int64 = 0
        /// When to retry the first delivery after a failure.
        var retryAt: Int64?

        var cursor: UInt64 { deliveries.first.map { max($0.frame, 1) - 1 } ?? published }

        /// - Returns: Whether the caller must dispatch `work`.
        mutating func schedule() -> Bool {
            guard isStarted, isSending, !isScheduled, deliveries.first != nil else { return false }
            isScheduled = true
            return true
        }
    }

    private static let noticeMilliseconds: Int64 = 60_000

    /// The frame just before the first one to deliver.
    let start: UInt64
    private let queue: DispatchQueue
    private let waiting: Mutex<Waiting>
    private let post: HTTPPost
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: WebhookDispatcher.RefusalReport
    private let notice: WebhookDispatcher.NoticeReport
    private let deadLetters: DeadLetters?
    private let onCursorChange: @Sendable () -> Void
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - start: The last frame whose events are not delivered.
    ///   - isSending: False if another node of the cluster sends.
    ///   - deadLetters: If nil, undeliverable events are discarded.
    ///   - overflow: Holds events that do not fit in memory.
    ///   - onCursorChange: Called on any queue when `cursor` may have changed.
    init(
        _ target: WebhookTarget, from start: UInt64, isSending: Bool, limits: WebhookLimits, metrics: WebhookMetrics,
        report: @escaping WebhookDispatcher.RefusalReport, notice: @escaping WebhookDispatcher.NoticeReport,
        deadLetters: DeadLetters?, overflow: OverflowFile?, onCursorChange: @escaping @Sendable () -> Void,
        clock: @escaping @Sendable () -> Int64
    ) {
        queue = DispatchQueue(label: "belfry.webhook.\(target.webhook.id)")
        self.start = start
        let deliveries = DeliveryQueue(limits, overflow: overflow)
        waiting = Mutex(
            Waiting(target: target, deliveries: deliveries, published: start, isSending: isSending))
        self.limits = limits
        self.metrics = metrics
        self.report = report
        self.notice = notice
        self.deadLetters = deadLetters
        self.onCursorChange = onCursorChange
        post = HTTPPost(limits.destinations)
        self.clock = clock
    }

    /// Changes the target of the next and later attempts, even for events that are already waiting.
    func update(_ target: WebhookTarget) { waiting.withLock { $0.target = target } }

    var events: WebhookEvents { waiting.withLock { $0.target.webhook.events } }

    /// The last frame whose events have all been delivered or abandoned.
    var cursor: UInt64 { waiting.withLock(\.cursor) }

    struct Snapshot {
        let pending: Int
        /// The body of the oldest waiting event.
        let oldest: [UInt8]?
        let attempts: Int
        let retryAt: Int64?
        let published: UInt64
        let cursor: UInt64
    }

    /// A consistent snapshot of all values.
    var snapshot: Snapshot {
        waiting.withLock { waiting in
            Snapshot(
                pending: waiting.deliveries.count, oldest: waiting.deliveries.first?.body,
                attempts: waiting.deliveries.first?.attempts ?? 0,
                retryAt: waiting.deliveries.first == nil ? nil : waiting.retryAt,
                published: waiting.published, cursor: waiting.cursor)
        }
    }

    /// Whether the queue is empty or its first event has already failed at least once.
    var isIdle: Bool { waiting.withLock { ($0.deliveries.first?.attempts ?? 1) > 0 } }

    func begin() {
        let mustSchedule = waiting.withLock { waiting in
            waiting.isStarted = true
            return waiting.schedule()
        }
        if mustSchedule { queue.async { self.work() } }
    }

    func setSending(_ isSending: Bool) {
        let mustSchedule = waiting.withLock { waiting in
            waiting.isSending = isSending
            return waiting.schedule()
        }
        if mustSchedule { queue.async { self.work() } }
    }

    /// Drops what another node has delivered or given up. Does nothing while this node sends.
    ///
    /// - Parameter frame: The last frame whose events are all done.
    func skip(to frame: UInt64) {
        let letters = waiting.withLock { waiting in
            var letters: [UInt64] = []
            while !waiting.isSending, let first = waiting.deliveries.first, first.frame <= frame {
                waiting.deliveries.remove(first)
                if let letter = first.letter { letters.append(letter) }
            }
            return letters
        }
        // Replayed here, where nothing is sent: they remain dead letters.
        deadLetters?.endReplaying(letters)
        onCursorChange()
    }

    func stop() {
        waiting.withLock { waiting in
            waiting.isStopped = true
            waiting.deliveries.removeAll()
        }
    }

    /// - Parameters:
    ///   - frame: The event's frame. The event is ignored if this frame was already published.
    ///   - published: While pushes of an earlier frame are still to come, later events count as part of that frame, so
    ///     that waiting events stay in frame order and a crash loses none of them.
    func append(
        _ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after published: UInt64
    ) {
        let (dropped, overShare, mustSchedule) = waiting.withLock { waiting -> ([WebhookDelivery], Int, Bool) in
            guard !waiting.isStopped, frame > waiting.published else { return ([], 0, false) }
            let dropped = waiting.deliveries.append(
                type, id: id, body: body, of: min(frame, max(published, waiting.published) + 1), by: Sharer(user))
            return (dropped, waiting.deliveries.resetOverShareCount(), waiting.schedule())
        }
        recordDropped(dropped, overShare: overShare)
        if mustSchedule { queue.async { self.work() } }
    }

    /// Drops what still waits of the frames up to this one.
    func drop(through frame: UInt64) {
        recordDropped(waiting.withLock { $0.deliveries.drop(through: frame) })
        onCursorChange()
    }

    /// Appends a dead letter at the end of the queue.
    ///
    /// - Returns: False when the queue is full.
    func requeue(_ letter: DeadLetter, _ body: [UInt8], serial: UInt64) -> Bool {
        let (isQueued, mustSchedule) = waiting.withLock { waiting in
            guard !waiting.isStopped,
                waiting.deliveries.append(letter, body, serial: serial, before: waiting.published + 1)
            else { return (false, false) }
            return (true, waiting.schedule())
        }
        if mustSchedule { queue.async { self.work() } }
        return isQueued
    }

    /// Records that all events up to this frame have arrived.
    func advance(to frame: UInt64) {
        let dropped = waiting.withLock { waiting in
            waiting.published = max(waiting.published, frame)
            return waiting.deliveries.advance(to: frame)
        }
        recordDropped(dropped)
    }

    /// - Parameter overShare: How many of the events were dropped because a user exceeded their share.
    private func recordDropped(_ deliveries: [WebhookDelivery], overShare: Int = 0) {
        // Replayed dead letters remain dead letters.
        deadLetters?.endReplaying(deliveries.compactMap(\.letter))
        let unreadable = waiting.withLock { $0.deliveries.resetUnreadableCount() }
        let dropped = deliveries.count { $0.letter == nil } + unreadable
        guard dropped > 0 else { return }
        metrics.droppedOverShare.increment(by: overShare)
        metrics.dropped.increment(by: dropped - overShare)
        let now = clock()
        let (events, id) = waiting.withLock { waiting in
            waiting.droppedSinceNotice += dropped
            guard now - waiting.lastNoticeAt >= Self.noticeMilliseconds else { return (0, "") }
            defer { (waiting.lastNoticeAt, waiting.droppedSinceNotice) = (now, 0) }
            return (waiting.droppedSinceNotice, waiting.target.webhook.id)
        }
        if events > 0 { notice(.eventsDropped(webhook: id, events: events)) }
    }

    /// Delivers until nothing is waiting or the first event must wait for a retry. Must run on `queue`.
    private func work() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let (delivery, target) = beginAttempt() {
            switch attempt(delivery, target) {
            case .accepted:
                metrics.delivered.increment()
                deadLetters?.removeDelivered(delivery.id, of: target.webhook.id)
                remove(delivery)
            case .failed(let status):
                metrics.failures.increment()
                if delivery.attempts + 1 >= limits.attempts, giveUp(delivery, of: target.webhook.id, status) {
                    remove(delivery)
                    continue
                }
                let delay = delay(after: delivery.attempts)
                waiting.withLock { waiting in
                    waiting.deliveries.recordFailure(of: delivery)
                    waiting.retryAt = clock() + Int64(delay)
                }
                return queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.work() }
            }
        }
    }

    /// - Returns: False when the event cannot be stored as a dead letter, or another node sends by now; it is then
    ///   retried, or left to that node.
    private func giveUp(_ delivery: WebhookDelivery, of webhook: String, _ status: Int?) -> Bool {
        guard let deadLetters, limits.deadLetters > 0 else {
            metrics.dropped.increment()
            return true
        }
        let letter = DeadLetter(
            eventID: delivery.id, type: delivery.type, at: clock(), attempts: delivery.attempts + 1, status: status)
        do throws(DiskError) {
            // A delivery that was repeated waits before a frame that may not exist yet.
            let frame = delivery.letter == nil ? delivery.frame : max(delivery.frame, 1) - 1
            return try deadLetters.add(letter, delivery.body, of: webhook, frame: frame)
        } catch {
            notice(.writeFailed(error))
            return false
        }
    }

    /// - Returns: The first delivery; `nil` when nothing is waiting.
    private func beginAttempt() -> (WebhookDelivery, WebhookTarget)? {
        waiting.withLock { waiting in
            waiting.retryAt = nil
            guard waiting.isSending, let first = waiting.deliveries.first else {
                waiting.isScheduled = false
                return nil
            }
            return (first, waiting.target)
        }
    }

    private func remove(_ delivery: WebhookDelivery) {
        waiting.withLock { $0.deliveries.remove(delivery) }
        recordDropped([])
        onCursorChange()
    }

    private enum Attempt {
        case accepted
        /// The HTTP status, if there was a response.
        case failed(Int?)
    }

    private func attempt(_ delivery: WebhookDelivery, _ target: WebhookTarget) -> Attempt {
        let signature = WebhookSignature(secret: target.secret, previous: target.previousSecret)
        let outcome = post.send(
            delivery.body, to: target.webhook.url,
            fields: signature.fields(id: delivery.id, body: delivery.body, at: clock()),
            timeoutMilliseconds: limits.timeoutMilliseconds)
        switch outcome {
        case .status(let status): return (200...299).contains(status) ? .accepted : .failed(status)
        case .noAnswer: return .failed(nil)
        case .refused(let address):
            metrics.refusedAddresses.increment()
            // Once per event, not per attempt.
            if delivery.attempts == 0 { report(target.webhook.id, address) }
            return .failed(nil)
        }
    }

    /// Returns an exponential delay in milliseconds, randomly shortened by up to half so that retries are not
    /// synchronized.
    private func delay(after attempts: Int) -> Int {
        let full = min(limits.maxDelayMilliseconds, limits.firstDelayMilliseconds << min(attempts, 16))
        return Int.random(in: full / 2...max(full, 1))
    }
}
