import ChatModel
import Dispatch
import Journal
import Synchronization

/// The deliveries to one webhook: one after the other, each until it is taken or given up.
///
/// What waits stands under a lock, because a queue of blocks could not be bounded; `post` is touched on `queue` only.
final class WebhookSender: @unchecked Sendable {
    private struct Waiting {
        var target: WebhookTarget
        var line: WaitingLine
        /// The last frame all of whose events have come.
        var passed: UInt64
        /// Whether a turn on `queue` is under way or due.
        var isScheduled = false
        var isStarted = false
        var isStopped = false
        /// Events that gave way since it was told.
        var gaveWay = 0
        var toldAt: Int64 = 0
        /// While the first in line has to wait after a failure.
        var retryAt: Int64?

        var cursor: UInt64 { line.first.map { max($0.frame, 1) - 1 } ?? passed }

        /// - Returns: Whether `work` is to be dispatched.
        mutating func schedule() -> Bool {
            guard isStarted, !isScheduled, line.first != nil else { return false }
            isScheduled = true
            return true
        }
    }

    private static let noticeMilliseconds: Int64 = 60_000

    /// The last frame of which it was told nothing: of before it, or what was taken before.
    let start: UInt64
    private let queue: DispatchQueue
    private let waiting: Mutex<Waiting>
    private let post: HTTPPost
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: WebhookDispatcher.RefusalReport
    private let notice: WebhookDispatcher.NoticeReport
    private let letters: DeadLetters?
    private let advanced: @Sendable () -> Void
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - start: The last frame whose events it is not told.
    ///   - letters: Without them, what is given up is gone.
    ///   - overflow: Where what does not fit in memory waits.
    ///   - advanced: Called, on any queue, when `cursor` may be another.
    init(
        _ target: WebhookTarget, from start: UInt64, limits: WebhookLimits, metrics: WebhookMetrics,
        report: @escaping WebhookDispatcher.RefusalReport, notice: @escaping WebhookDispatcher.NoticeReport,
        letters: DeadLetters?, overflow: OverflowFile?, advanced: @escaping @Sendable () -> Void,
        clock: @escaping @Sendable () -> Int64
    ) {
        queue = DispatchQueue(label: "belfry.webhook.\(target.webhook.id)")
        self.start = start
        waiting = Mutex(Waiting(target: target, line: WaitingLine(limits, overflow: overflow), passed: start))
        self.limits = limits
        self.metrics = metrics
        self.report = report
        self.notice = notice
        self.letters = letters
        self.advanced = advanced
        post = HTTPPost(limits.destinations)
        self.clock = clock
    }

    /// Where deliveries go from the next attempt on, also those that wait.
    func update(_ target: WebhookTarget) { waiting.withLock { $0.target = target } }

    var events: WebhookEvents { waiting.withLock { $0.target.webhook.events } }

    /// The last frame of which everything was taken or given up.
    var cursor: UInt64 { waiting.withLock(\.cursor) }

    struct Standing {
        let pending: Int
        /// Its body.
        let oldest: [UInt8]?
        let attempts: Int
        let retryAt: Int64?
        let passed: UInt64
        let cursor: UInt64
    }

    /// All of one moment.
    var standing: Standing {
        waiting.withLock { waiting in
            Standing(
                pending: waiting.line.count, oldest: waiting.line.first?.body,
                attempts: waiting.line.first?.attempts ?? 0,
                retryAt: waiting.line.first == nil ? nil : waiting.retryAt,
                passed: waiting.passed, cursor: waiting.cursor)
        }
    }

    /// Nothing waits but what its receiver has refused.
    var isIdle: Bool { waiting.withLock { ($0.line.first?.attempts ?? 1) > 0 } }

    /// Nothing goes out before.
    func begin() {
        let mustSchedule = waiting.withLock { waiting in
            waiting.isStarted = true
            return waiting.schedule()
        }
        if mustSchedule { queue.async { self.work() } }
    }

    func stop() {
        waiting.withLock { waiting in
            waiting.isStopped = true
            waiting.line.removeAll()
        }
    }

    /// - Parameters:
    ///   - frame: What it has had is passed over.
    ///   - told: Where pushes of an earlier frame are still to come, all that follows counts as of that one: what waits is in the
    ///     order of frames, and a crash takes none of it away.
    func append(_ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after told: UInt64) {
        let (gaveWay, overShare, mustSchedule) = waiting.withLock { waiting -> ([Delivery], Int, Bool) in
            guard !waiting.isStopped, frame > waiting.passed else { return ([], 0, false) }
            let gaveWay = waiting.line.append(
                type, id: id, body: body, of: min(frame, max(told, waiting.passed) + 1), by: Sharer(user))
            return (gaveWay, waiting.line.takeOverShare(), waiting.schedule())
        }
        tell(gaveWay, overShare: overShare)
        if mustSchedule { queue.async { self.work() } }
    }

    /// Behind what waits.
    ///
    /// - Returns: False when there is no room.
    func appendAgain(_ letter: DeadLetter, _ body: [UInt8], serial: UInt64) -> Bool {
        let (hasRoom, mustSchedule) = waiting.withLock { waiting in
            guard !waiting.isStopped,
                waiting.line.append(letter, body, serial: serial, before: waiting.passed + 1)
            else { return (false, false) }
            return (true, waiting.schedule())
        }
        if mustSchedule { queue.async { self.work() } }
        return hasRoom
    }

    /// All events up to this frame have come.
    func passed(_ frame: UInt64) {
        let gaveWay = waiting.withLock { waiting in
            waiting.passed = max(waiting.passed, frame)
            return waiting.line.passed(frame)
        }
        tell(gaveWay)
    }

    /// - Parameter overShare: How many of them were beyond their user's share.
    private func tell(_ gone: [Delivery], overShare: Int = 0) {
        // Dead letters are what they were.
        letters?.endReplaying(gone.compactMap(\.letter))
        let unreadable = waiting.withLock { $0.line.takeUnreadable() }
        let gaveWay = gone.count { $0.letter == nil } + unreadable
        guard gaveWay > 0 else { return }
        metrics.droppedOverShare.increment(by: overShare)
        metrics.dropped.increment(by: gaveWay - overShare)
        let now = clock()
        let (events, id) = waiting.withLock { waiting in
            waiting.gaveWay += gaveWay
            guard now - waiting.toldAt >= Self.noticeMilliseconds else { return (0, "") }
            defer { (waiting.toldAt, waiting.gaveWay) = (now, 0) }
            return (waiting.gaveWay, waiting.target.webhook.id)
        }
        if events > 0 { notice(.movedOn(webhook: id, events: events)) }
    }

    /// On `queue`: until nothing waits or the first in line has to wait.
    private func work() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let (delivery, target) = first() {
            switch attempt(delivery, target) {
            case .taken:
                metrics.delivered.increment()
                letters?.settle(delivery.id, of: target.webhook.id)
                remove(delivery)
            case .failed(let status):
                metrics.failures.increment()
                if delivery.attempts + 1 >= limits.attempts, giveUp(delivery, of: target.webhook.id, status) {
                    remove(delivery)
                    continue
                }
                let delay = delay(after: delivery.attempts)
                waiting.withLock { waiting in
                    waiting.line.noteFailure(of: delivery)
                    waiting.retryAt = clock() + Int64(delay)
                }
                return queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.work() }
            }
        }
    }

    /// - Returns: False when it cannot be kept as a dead letter: then it is tried on.
    private func giveUp(_ delivery: Delivery, of webhook: String, _ status: Int?) -> Bool {
        guard let letters, limits.deadLetters > 0 else {
            metrics.dropped.increment()
            return true
        }
        let letter = DeadLetter(
            eventID: delivery.id, type: delivery.type, at: clock(), attempts: delivery.attempts + 1, status: status)
        do throws(DiskError) {
            try letters.add(letter, delivery.body, of: webhook)
            return true
        } catch {
            notice(.notKept(error))
            return false
        }
    }

    private func first() -> (Delivery, WebhookTarget)? {
        waiting.withLock { waiting in
            waiting.retryAt = nil
            guard let first = waiting.line.first else {
                waiting.isScheduled = false
                return nil
            }
            return (first, waiting.target)
        }
    }

    private func remove(_ delivery: Delivery) {
        waiting.withLock { $0.line.remove(delivery) }
        tell([])
        advanced()
    }

    private enum Attempt {
        case taken
        /// The status, where there was one.
        case failed(Int?)
    }

    private func attempt(_ delivery: Delivery, _ target: WebhookTarget) -> Attempt {
        let timestamp = clock() / 1_000
        let signature = WebhookSignature(secret: target.secret, previous: target.previousSecret)
            .header(id: delivery.id, timestamp: timestamp, body: delivery.body)
        let outcome = post.send(
            delivery.body, to: target.webhook.url,
            fields: [
                "Content-Type: application/json", "User-Agent: belfry", "Expect:", "webhook-id: \(delivery.id)",
                "webhook-timestamp: \(timestamp)", "webhook-signature: \(signature)",
            ], timeoutMilliseconds: limits.timeoutMilliseconds)
        switch outcome {
        case .status(let status): return (200...299).contains(status) ? .taken : .failed(status)
        case .noAnswer: return .failed(nil)
        case .refused(let address):
            metrics.refusedAddresses.increment()
            // Once for each event, however often it is tried.
            if delivery.attempts == 0 { report(target.webhook.id, address) }
            return .failed(nil)
        }
    }

    /// Milliseconds: doubled each time, and shortened by up to a half so that receivers are not hit in step.
    private func delay(after attempts: Int) -> Int {
        let full = min(limits.longestDelayMilliseconds, limits.firstDelayMilliseconds << min(attempts, 16))
        return Int.random(in: full / 2...max(full, 1))
    }
}
