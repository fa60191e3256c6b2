import ChatDomain
import ChatEngine
import Glibc
import Journal
import MetricTable
import Metrics
import Synchronization

/// What an operator should know about the index.
package enum SearchNotice: Sendable {
    /// The index is missing, damaged, of another version or too far behind, and is filled from the chat.
    case rebuilding
    /// The index could not be read or written, and is made anew after some seconds.
    case failed(String, retrySeconds: Int)
}

/// The search index: it follows the log at its own pace, on its own queue, and answers lookups there.
///
///     log ⇒ append → intake ⇒ take → SearchStore     one transaction for all that has arrived
///     chat ⇒ fill → intake                           for channels that are behind
///
/// All state except the intake is touched on `queue` only.
package final class SearchIndexer: SearchPort, @unchecked Sendable {
    package struct Limits: Sendable {
        /// Changes that may wait, and their bytes; beyond, the channels are read from the chat instead.
        package var changesWaiting = 100_000
        package var bytesWaiting = 67_108_864
        /// Changes of one transaction.
        package var batch = 5_000
        /// How long changes wait for others, in milliseconds, unless a search comes first.
        package var delayMilliseconds = 100
        /// Frames without changes after which the index records its progress.
        package var idleFrames: UInt64 = 10_000
        /// How long a failed index waits before it is made anew: at first, and at most.
        package var retrySeconds = 5...300
        package init() {}
    }

    private struct Arrivals {
        var intake: SearchIntake
        /// Whether a run is dispatched, at once or after the delay.
        var isScheduled = false
        var isPrompt = false
        /// The last frame whose number the store has.
        var recordedFrame: UInt64 = 0
    }

    private let queue: any SerialQueue
    private let path: String?
    private let limits: Limits
    private let metrics: SearchMetrics
    private let notice: @Sendable (SearchNotice) -> Void
    private let arrivals: Mutex<Arrivals>
    /// nil while the index has failed, and after `close`.
    private var store: SearchStore?
    private weak var source: (any SearchSource)?
    /// Whether the store has all channels, though some may be behind.
    private var isFilled = false
    private var isFilling = false
    private var isClosed = false
    private var retrySeconds: Int

    /// Opens the index. If that is impossible, it is made anew.
    ///
    /// - Parameters:
    ///   - path: The file; nil for an index in memory.
    ///   - queue: A serial queue used by nothing else.
    package init(
        _ path: String?, limits: Limits = Limits(), queue: any SerialQueue, metrics factory: any MetricsFactory,
        notice: @escaping @Sendable (SearchNotice) -> Void
    ) {
        self.path = path
        self.limits = limits
        self.queue = queue
        self.notice = notice
        metrics = SearchMetrics(factory)
        retrySeconds = limits.retrySeconds.lowerBound
        arrivals = Mutex(
            Arrivals(
                intake: SearchIntake(
                    limits: SearchIntake.Limits(changes: limits.changesWaiting, bytes: limits.bytesWaiting))))
        store = try? SearchStore(path)
    }

    // MARK: Callable from any queue

    package func begin() -> SearchProgress? {
        var progress: SearchProgress?
        queue.enter {
            progress = try? store?.progress()
        }
        arrivals.withLock { $0.recordedFrame = progress?.frame ?? 0 }
        return progress
    }

    package func append(_ changes: [SearchChange], through progress: SearchProgress) {
        let (waiting, schedules, isFull) = arrivals.withLock { arrivals in
            arrivals.intake.append(changes, through: progress)
            let isFull = arrivals.intake.changes >= limits.batch
            let isDue = !changes.isEmpty || progress.frame >= arrivals.recordedFrame + limits.idleFrames
            let schedules = isFull ? !arrivals.isPrompt : isDue && !arrivals.isScheduled
            if schedules { (arrivals.isScheduled, arrivals.isPrompt) = (true, isFull) }
            return (arrivals.intake.changes, schedules, isFull)
        }
        metrics.changesWaiting.record(waiting)
        guard schedules else { return }
        if isFull {
            queue.async { self.run() }
        } else {
            queue.after(milliseconds: limits.delayMilliseconds) { self.run() }
        }
    }

    package func start(readingFrom source: any SearchSource, isBehind: Bool) {
        queue.async {
            self.source = source
            if isBehind || self.store == nil { self.beginAnew() } else { self.isFilled = true }
            self.run()
        }
    }

    package func find(_ lookup: SearchLookup, _ done: @escaping @Sendable (SearchFindings) -> Void) {
        queue.async {
            self.metrics.lookups.increment()
            done(self.find(lookup))
        }
    }

    /// Writes what has arrived and closes the file. Later changes are dropped.
    package func close(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            // Bounded by the intake; a failure ends it too.
            while self.store != nil, !self.arrivals.withLock({ $0.intake.isEmpty && $0.intake.waitingFrame == nil }) {
                self.applyBatch()
            }
            self.isClosed = true
            self.store = nil
            done()
        }
    }

    /// Removes what deleted messages have left in the file (`PR1`), once the index has all that was appended before.
    ///
    /// - Parameter done: Gets false if the index failed meanwhile, or is closed. Called on the index's queue.
    package func scrub(_ done: @escaping @Sendable (Bool) -> Void) {
        queue.async { self.scrub(.beginMerging, done) }
    }

    // MARK: On `queue`

    private func scrub(_ step: SearchStore.ScrubStep, _ done: @escaping @Sendable (Bool) -> Void) {
        guard !isClosed else { return done(false) }
        applyBatch()
        do throws(DatabaseError) {
            guard let store, isFilled, arrivals.withLock({ $0.intake.isEmpty }), try !store.isBehind() else {
                return queue.after(milliseconds: Self.scrubRetryMilliseconds) { self.scrub(.beginMerging, done) }
            }
            guard let next = try store.scrub(step) else { return done(true) }
            // Dispatched anew, so that searches run in between.
            queue.async { self.scrub(next, done) }
        } catch {
            fail(error)
            done(false)
        }
    }

    private static let scrubRetryMilliseconds = 500

    private func find(_ lookup: SearchLookup) -> SearchFindings {
        // Usually all there is; a backlog is not waited for.
        applyBatch()
        guard let store else { return .unknown(lookup) }
        let isCurrent = isFilled && arrivals.withLock { $0.intake.isEmpty }
        do throws(DatabaseError) {
            return try store.find(lookup, isCurrent: isCurrent)
        } catch {
            fail(error)
            return .unknown(lookup)
        }
    }

    private func run() {
        queue.check()
        arrivals.withLock { ($0.isScheduled, $0.isPrompt) = (false, false) }
        guard !isClosed else { return }
        applyBatch()
        guard let store else { return }
        do throws(DatabaseError) {
            let hasGone = try store.removeGone(limit: limits.batch)
            try fillNext()
            let isEmpty = arrivals.withLock { $0.intake.isEmpty }
            // Dispatched anew, so that searches run in between.
            if hasGone || !isEmpty { runSoon() }
        } catch {
            fail(error)
        }
    }

    private func runSoon() {
        let schedules = arrivals.withLock { arrivals in
            guard !arrivals.isPrompt else { return false }
            (arrivals.isScheduled, arrivals.isPrompt) = (true, true)
            return true
        }
        if schedules { queue.async { self.run() } }
    }

    /// Writes the oldest changes, up to the limit of a transaction.
    private func applyBatch() {
        guard let store else { return }
        let (batch, waiting) = arrivals.withLock { arrivals in
            (arrivals.intake.take(atMost: limits.batch), arrivals.intake.changes)
        }
        metrics.changesWaiting.record(waiting)
        do throws(DatabaseError) {
            try apply(batch, to: store)
        } catch {
            fail(error)
        }
    }

    private func apply(_ batch: SearchIntake.Batch, to store: SearchStore) throws(DatabaseError) {
        var changes: [SearchChange] = []
        func flush() throws(DatabaseError) {
            guard !changes.isEmpty else { return }
            try store.apply(changes, progress: nil)
            changes = []
        }
        for item in batch.items {
            switch item {
            case .change(let change): changes.append(change)
            case .fill(let room, let offset, let fill):
                try flush()
                isFilling = false
                try store.fill(room, from: offset, with: fill)
            case .rooms(let rooms, let progress):
                try flush()
                try store.markStale(rooms.map { ($0, 0) }, progress: progress)
                isFilled = true
                retrySeconds = limits.retrySeconds.lowerBound
            }
        }
        changes += batch.deleted.map(SearchChange.removeRoom)
        let progress = isFilled ? batch.progress : nil
        if !batch.behind.isEmpty { try store.markStale(batch.behind, progress: nil) }
        if !changes.isEmpty || progress != nil { try store.apply(changes, progress: progress) }
        if let progress { arrivals.withLock { $0.recordedFrame = progress.frame } }
    }

    /// Asks the chat for messages of a channel that is behind. There is one question at a time.
    private func fillNext() throws(DatabaseError) {
        guard !isFilling, isFilled, let store, let source else { return }
        metrics.channelsBehind.record(try store.staleRoomCount())
        guard let (room, offset) = try store.nextStaleRoom() else { return }
        isFilling = true
        source.readSearchFill(of: room, from: offset) { [weak self] fill in
            self?.append(.fill(room, from: offset, fill))
        }
    }

    private func append(_ item: SearchIntake.Item) {
        arrivals.withLock { $0.intake.append(item) }
        runSoon()
    }

    /// Makes an empty index, and asks the chat which channels there are.
    private func beginAnew() {
        metrics.rebuilds.increment()
        notice(.rebuilding)
        store = nil
        (isFilled, isFilling) = (false, false)
        removeFiles()
        do throws(DatabaseError) {
            store = try SearchStore(path)
        } catch {
            return fail(error)
        }
        // What has arrived so far is in the chat, which is read from now on.
        arrivals.withLock { $0.intake.removeAll() }
        source?.readSearchRooms { [weak self] rooms, progress in self?.append(.rooms(rooms, progress)) }
    }

    /// Closes the index and makes it anew later. The cause does not matter, because the chat has everything.
    private func fail(_ error: DatabaseError) {
        metrics.failures.increment()
        store = nil
        (isFilled, isFilling) = (false, false)
        arrivals.withLock { $0.intake.removeAll() }
        notice(.failed(error.description, retrySeconds: retrySeconds))
        queue.after(milliseconds: retrySeconds * 1_000) { [weak self] in
            guard let self, !isClosed, store == nil else { return }
            beginAnew()
        }
        retrySeconds = min(retrySeconds * 4, limits.retrySeconds.upperBound)
    }

    private func removeFiles() {
        guard let path else { return }
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}

struct SearchMetrics: Sendable {
    let changesWaiting: Gauge
    let channelsBehind: Gauge
    let lookups: Counter
    let failures: Counter
    let rebuilds: Counter

    init(_ factory: any MetricsFactory) {
        changesWaiting = Gauge(.searchChangesWaiting, factory)
        channelsBehind = Gauge(.searchChannelsBehind, factory)
        lookups = Counter(.searchLookups, factory)
        failures = Counter(.searchFailures, factory)
        rebuilds = Counter(.searchRebuilds, factory)
    }
}
