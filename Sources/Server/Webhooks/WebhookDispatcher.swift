import ChatEngine
import ChatModel
import EventLoops
import Metrics
import Synchronization

/// Delivers events to the webhooks that subscribe to them: signed, in order, and retried until accepted or
/// given up.
///
/// Each webhook has its own queue, so one that does not answer delays no other. Positions are persisted, and a
/// start delivers the log's later frames again.
package final class WebhookDispatcher: WebhookPort {
    private struct Book {
        var senders: [String: WebhookSender] = [:]
        /// The positions when the previous process ended.
        var found: [String: UInt64] = [:]
        /// The position of webhooks that have none.
        var floor: UInt64 = 0
        var passed: UInt64 = 0
        var isStarted = false
        /// Set by `stop`: snapshots may still be made afterwards.
        var toldAtTheEnd: UInt64?
    }

    private let book = Mutex(Book())
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: RefusalReport
    private let store: WebhookStore?
    private let keeper: WebhookCursorKeeper?
    let letters: DeadLetters?
    private let notice: NoticeReport
    private let clock: @Sendable () -> Int64

    /// Receives the webhook's id and the forbidden address that its URL resolved to.
    package typealias RefusalReport = @Sendable (String, IPAddress) -> Void
    package typealias NoticeReport = @Sendable (WebhookNotice) -> Void

    /// - Parameters:
    ///   - report: Called on any queue, once per event.
    ///   - store: Nil keeps no state beyond the process.
    ///   - notice: Called on any queue.
    ///   - clock: Milliseconds since 1970.
    package init(
        limits: WebhookLimits, metrics factory: any MetricsFactory, report: @escaping RefusalReport,
        store: WebhookStore? = nil, notice: @escaping NoticeReport = { _ in },
        clock: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits
        self.report = report
        self.store = store
        self.notice = notice
        self.clock = clock
        let metrics = WebhookMetrics(factory)
        self.metrics = metrics
        keeper = store.map { store in WebhookCursorKeeper(store) { notice(.notKept($0)) } }
        letters = store.map { store in
            DeadLetters(store.letters, on: store.disk, limit: limits.deadLetters, metrics: metrics)
        }
        keeper?.follow { [weak self] in self?.cursors() }
    }

    package func begin(_ targets: [WebhookTarget], base: UInt64, last: UInt64) -> UInt64 {
        if let store {
            OverflowFile.clean(store.disk)
            DeadLetterFile.clean(store.disk)
        }
        return book.withLock { book in
            book.found = (store?.found ?? [:]).mapValues { min($0, last) }
            book.floor = store?.found == nil ? last : 0
            book.passed = base
            // Earlier frames are gone or exceed the limit.
            let nearest = max(base, last - min(last, UInt64(clamping: limits.lagFrames)))
            for target in targets {
                let id = target.webhook.id
                var cursor = book.found[id] ?? last
                if cursor < nearest {
                    notice(.cannotReach(webhook: id, frames: nearest - cursor))
                    metrics.skippedFrames.increment(by: Int(clamping: nearest - cursor))
                    cursor = nearest
                }
                book.senders[id] = sender(target, from: cursor)
            }
            return book.senders.values.map(\.cursor).min() ?? last
        }
    }

    package func start() {
        book.withLock { book in
            book.isStarted = true
            for sender in book.senders.values { sender.begin() }
            letters?.keepOnly(Set(book.senders.keys))
        }
        // Also without webhooks: one created later starts at its own frame.
        keeper?.writeNow()
    }

    package func configure(_ targets: [WebhookTarget], at frame: UInt64) {
        book.withLock { book in
            let ids = Set(targets.map(\.webhook.id))
            for (id, sender) in book.senders where !ids.contains(id) {
                sender.stop()
                book.senders[id] = nil
            }
            // During a start, configurations are replayed: a webhook that reappears may have letters.
            if book.isStarted { letters?.keepOnly(ids) }
            for target in targets {
                let id = target.webhook.id
                if let sender = book.senders[id] {
                    sender.update(target)
                } else {
                    let sender = sender(target, from: max(book.found[id] ?? book.floor, frame))
                    book.senders[id] = sender
                    if book.isStarted { sender.begin() }
                }
            }
        }
        keeper?.note()
    }

    private func sender(_ target: WebhookTarget, from cursor: UInt64) -> WebhookSender {
        WebhookSender(
            target, from: cursor, limits: limits, metrics: metrics, report: report, notice: notice,
            letters: letters,
            overflow: limits.overflowBytes == 0 ? nil : store.map { OverflowFile($0.disk, webhook: target.webhook.id) },
            advanced: { [keeper] in keeper?.note() }, clock: clock)
    }

    package func wants(_ type: String) -> Bool {
        book.withLock { $0.senders.values.contains { $0.events.includes(type) } }
    }

    package func deliver(
        _ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after told: UInt64
    ) {
        for sender in senders where sender.events.includes(type) {
            sender.append(type, id: id, body: body, by: user, of: frame, after: told)
        }
    }

    package func passed(_ frame: UInt64) {
        let senders = book.withLock { book in
            book.passed = max(book.passed, frame)
            return Array(book.senders.values)
        }
        guard !senders.isEmpty else { return }
        for sender in senders { sender.passed(frame) }
        keeper?.note()
    }

    func sender(of webhook: String) -> WebhookSender? { book.withLock { $0.senders[webhook] } }

    /// Sorted by id.
    var everySender: [(id: String, sender: WebhookSender)] {
        book.withLock { $0.senders.sorted { $0.key < $1.key } }.map { (id: $0.key, sender: $0.value) }
    }

    private var senders: [WebhookSender] { book.withLock { Array($0.senders.values) } }

    /// The last frame delivered to every webhook according to the disk: later frames are needed after a crash.
    package var told: UInt64 {
        book.withLock { book in
            if let told = book.toldAtTheEnd { return told }
            let written = keeper?.written
            return book.senders.reduce(book.passed) { lowest, entry in
                min(lowest, written?[entry.key] ?? (keeper == nil ? entry.value.cursor : entry.value.start))
            }
        }
    }

    private func cursors() -> [String: UInt64] {
        let (cursors, passed) = book.withLock { ($0.senders.mapValues(\.cursor), $0.passed) }
        let lowest = cursors.values.min() ?? passed
        metrics.lag.record(passed - min(passed, lowest))
        return cursors
    }

    /// Whether nothing is waiting except events that their receiver has failed to accept.
    package var isIdle: Bool { senders.allSatisfy(\.isIdle) }

    package func stop() {
        keeper?.finish()
        let told = told
        book.withLock { book in
            book.toldAtTheEnd = told
            for sender in book.senders.values { sender.stop() }
            book.senders = [:]
        }
    }
}
