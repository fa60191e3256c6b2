import ChatEngine
import ChatModel
import EventLoops
import Journal
import Metrics
import Synchronization

/// Delivers events to the webhooks that subscribe to them. Events are signed, delivered in order, and retried until
/// they are accepted or given up.
///
/// Each webhook has its own queue, so one that does not answer delays no other. Positions are persisted. At startup,
/// the dispatcher delivers the log's later frames again.
package final class WebhookDispatcher: WebhookPort {
    private struct State {
        var senders: [String: WebhookSender] = [:]
        /// The positions stored by the previous process.
        var found: [String: UInt64] = [:]
        /// The initial position of webhooks that have none.
        var floor: UInt64 = 0
        /// The last frame whose events have all arrived.
        var published: UInt64 = 0
        var isStarted = false
        var isSending = true
        var remoteReplay: RemoteReplay?
        /// Set by `stop`, because snapshots may still be made afterwards.
        var lastDeliveredAtStop: UInt64?
    }

    /// Wraps the closure, as in `DiskLog`.
    struct RemoteReplay: Sendable {
        let run: @Sendable ([String]?, String, @escaping @Sendable (Int?) -> Void) -> Void
    }

    private let state = Mutex(State())
    private let limits: WebhookLimits
    private let metrics: WebhookMetrics
    private let report: RefusalReport
    private let store: WebhookStore?
    private let keeper: WebhookCursorKeeper?
    let letters: DeadLetters?
    let notice: NoticeReport
    private let clock: @Sendable () -> Int64

    /// Receives the webhook's id and the forbidden address that its URL resolved to.
    package typealias RefusalReport = @Sendable (String, IPAddress) -> Void
    package typealias NoticeReport = @Sendable (WebhookNotice) -> Void

    /// - Parameters:
    ///   - report: Called on any queue, once per event.
    ///   - store: If nil, no state outlives the process.
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
        keeper = store.map { store in WebhookCursorKeeper(store) { notice(.writeFailed($0)) } }
        letters = store.map { store in
            DeadLetters(store.letters, on: store.disk, limit: limits.deadLetters, metrics: metrics)
        }
        keeper?.setSource { [weak self] in self?.cursors() }
    }

    package func begin(_ targets: [WebhookTarget], base: UInt64, last: UInt64) -> UInt64 {
        if let store {
            OverflowFile.clean(store.disk)
            DeadLetterFile.clean(store.disk)
        }
        return state.withLock { state in
            state.found = (store?.found ?? [:]).mapValues { min($0, last) }
            state.floor = store?.found == nil ? last : 0
            state.published = base
            // Earlier frames are gone or exceed the limit.
            let nearest = max(base, last - min(last, UInt64(clamping: limits.lagFrames)))
            for target in targets {
                let id = target.webhook.id
                var cursor = state.found[id] ?? last
                if cursor < nearest {
                    notice(.framesSkipped(webhook: id, frames: nearest - cursor))
                    metrics.skippedFrames.increment(by: Int(clamping: nearest - cursor))
                    cursor = nearest
                }
                state.senders[id] = sender(target, from: cursor, isSending: state.isSending)
            }
            return state.senders.values.map(\.cursor).min() ?? last
        }
    }

    package func start() {
        state.withLock { state in
            state.isStarted = true
            for sender in state.senders.values { sender.begin() }
            letters?.prune(keeping: Set(state.senders.keys))
        }
        // Even without webhooks, so that one created later starts at its own frame.
        keeper?.writeNow()
    }

    package func configure(_ targets: [WebhookTarget], at frame: UInt64) {
        state.withLock { state in
            let ids = Set(targets.map(\.webhook.id))
            for (id, sender) in state.senders where !ids.contains(id) {
                sender.stop()
                state.senders[id] = nil
            }
            // A start replays configurations, so a webhook that reappears may still have letters.
            if state.isStarted { letters?.prune(keeping: ids) }
            for target in targets {
                let id = target.webhook.id
                if let sender = state.senders[id] {
                    sender.update(target)
                } else {
                    let start = max(state.found[id] ?? state.floor, frame)
                    let sender = sender(target, from: start, isSending: state.isSending)
                    state.senders[id] = sender
                    if state.isStarted { sender.begin() }
                }
            }
        }
        keeper?.scheduleWrite()
    }

    private func sender(_ target: WebhookTarget, from cursor: UInt64, isSending: Bool) -> WebhookSender {
        WebhookSender(
            target, from: cursor, isSending: isSending, limits: limits, metrics: metrics, report: report,
            notice: notice,
            deadLetters: letters,
            overflow: limits.overflowBytes == 0 ? nil : store.map { OverflowFile($0.disk, webhook: target.webhook.id) },
            onCursorChange: { [keeper] in keeper?.scheduleWrite() }, clock: clock)
    }

    /// Begins or stops to send. In a cluster, every node keeps the events that wait, and only one sends them.
    ///
    /// - Parameter term: The cluster's term.
    package func setSending(_ isSending: Bool, in term: UInt64 = 0) {
        state.withLock { state in
            state.isSending = isSending
            letters?.setCopying(!isSending, in: term)
            for sender in state.senders.values { sender.setSending(isSending) }
        }
    }

    /// Routes replays to the node that sends, while this one does not.
    ///
    /// - Parameter replay: As `replay` of `DeadLetterPort`. Called on any queue.
    package func setRemoteReplay(
        _ replay: @escaping @Sendable ([String]?, String, @escaping @Sendable (Int?) -> Void) -> Void
    ) {
        state.withLock { $0.remoteReplay = RemoteReplay(run: replay) }
    }

    /// The last frame that each webhook is done with.
    package var positions: [String: UInt64] { state.withLock { $0.senders.mapValues(\.cursor) } }

    /// Returns where to replay dead letters while another node sends; `nil` while this one does.
    var remoteReplay: RemoteReplay? { state.withLock { $0.isSending ? nil : $0.remoteReplay } }

    package func wants(_ type: String) -> Bool {
        state.withLock { $0.senders.values.contains { $0.events.includes(type) } }
    }

    package func deliver(
        _ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after published: UInt64
    ) {
        for sender in senders where sender.events.includes(type) {
            sender.append(type, id: id, body: body, by: user, of: frame, after: published)
        }
    }

    package func advance(to frame: UInt64) {
        let senders = state.withLock { state in
            state.published = max(state.published, frame)
            return Array(state.senders.values)
        }
        guard !senders.isEmpty else { return }
        for sender in senders { sender.advance(to: frame) }
        keeper?.scheduleWrite()
    }

    func sender(of webhook: String) -> WebhookSender? { state.withLock { $0.senders[webhook] } }

    /// The senders, sorted by id.
    var sortedSenders: [(id: String, sender: WebhookSender)] {
        state.withLock { $0.senders.sorted { $0.key < $1.key } }.map { (id: $0.key, sender: $0.value) }
    }

    private var senders: [WebhookSender] { state.withLock { Array($0.senders.values) } }

    /// The last frame that, according to the disk, was delivered to every webhook. Later frames are needed after a
    /// crash.
    package var lastDelivered: UInt64 {
        state.withLock { state in
            if let lastDelivered = state.lastDeliveredAtStop { return lastDelivered }
            let written = keeper?.written
            return state.senders.reduce(state.published) { lowest, entry in
                min(lowest, written?[entry.key] ?? (keeper == nil ? entry.value.cursor : entry.value.start))
            }
        }
    }

    private func cursors() -> [String: UInt64] {
        let (cursors, published) = state.withLock { ($0.senders.mapValues(\.cursor), $0.published) }
        let lowest = cursors.values.min() ?? published
        metrics.lag.record(published - min(published, lowest))
        return cursors
    }

    /// Whether nothing is waiting except events that their receivers have failed to accept.
    package var isIdle: Bool { senders.allSatisfy(\.isIdle) }

    package func stop() {
        keeper?.finish()
        let lastDelivered = lastDelivered
        state.withLock { state in
            state.lastDeliveredAtStop = lastDelivered
            for sender in state.senders.values { sender.stop() }
            state.senders = [:]
        }
    }
}

/// A condition that the operator should know about.
package enum WebhookNotice: Sendable, Equatable {
    /// The oldest waiting events were dropped, because there were too many or they retained too much of the journal.
    /// Reported at most once a minute per webhook.
    case eventsDropped(webhook: String, events: Int)
    /// Frames were skipped at startup because they are no longer available.
    case framesSkipped(webhook: String, frames: UInt64)
    /// Webhook state cannot be written. Until it can, a crash causes events to be delivered again.
    case writeFailed(DiskError)
}
