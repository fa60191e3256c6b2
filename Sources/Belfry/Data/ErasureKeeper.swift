import ChatDomain
import ChatEngine
import ChatModel
import Dispatch
import Logging
import MetricTable
import Metrics
import SearchIndex
import Synchronization
import Transport
import Webhooks

/// Removes the bytes of deleted users from the disk, and keeps the ledger of deletions (`PR1`).
///
///     record ⇒ ledger, before anything is removed
///     ended ⇒ snapshot of everything → dead letters → kept answers → search index ⇒ ledger
///
/// All state except the ledger and the answers is touched on `queue` only.
final class ErasureKeeper: @unchecked Sendable {
    /// The delay after a failure, at first and at most: a webhook may need a moment to catch up.
    private static let retrySeconds = 1...60
    /// How long deleted users remain in journal frames that a lagging webhook still needs; everything is gone within 48
    /// hours.
    private static let readerSeconds: Int64 = 86_400

    private let queue = DispatchQueue(label: "belfry.erasures")
    private let ledger: Mutex<ErasureLedger>
    /// Users of whom the chat itself has nothing any longer, and the frame in which it forgot them.
    private var ended: [UserID: UInt64] = [:]
    private var isCleaning = false
    private var retrySeconds = ErasureKeeper.retrySeconds.lowerBound
    private let snapshots: SnapshotKeeper
    private let webhooks: WebhookDispatcher
    private let answers: AnswerEraser
    private let search: SearchIndexer
    private let pending: Gauge
    private let logger: Logger

    /// - Throws: When the ledger cannot be read.
    init(
        _ folder: DataFolder, snapshots: SnapshotKeeper, webhooks: WebhookDispatcher, answers: IdempotentRequests,
        search: SearchIndexer, metrics factory: any MetricsFactory, logger: Logger
    ) throws(ConfigurationError) {
        ledger = Mutex(try ErasureLedger(folder.path))
        self.snapshots = snapshots
        self.webhooks = webhooks
        self.answers = AnswerEraser(answers)
        self.search = search
        pending = Gauge(.erasuresPending, factory)
        self.logger = logger
        recordPending()
    }

    /// Records a step of a deletion; callable from any queue.
    func record(_ step: ErasureStep) {
        switch step {
        case .began(let user, let erased):
            if let user { answers.begin(user) }
            _ = ledger.withLock { $0.add(erased, of: user) }
            recordPending()
            queue.async {
                self.write()
                // A user whom the chat does not know left nothing in it.
                if user == nil { self.end(erased.alias, frame: 0) }
            }
        case .ended(let user, let alias, let frame):
            answers.end(user)
            queue.async { self.end(alias, frame: frame) }
        }
    }

    /// Compares the ledger with the restored chat: repeats the deletions that the chat does not know, and completes those
    /// that an earlier process left unfinished.
    ///
    /// - Parameter done: Called once the chat has repeated them all; in a cluster, only while this node decides.
    func start(_ engine: ChatEngine, _ done: @escaping @Sendable () -> Void) {
        engine.readErasedUsers { users, unfinished, frame in
            self.queue.async {
                self.merge(users, unfinished, last: frame)
                engine.repeatErasures(self.ledger.withLock(\.sorted).map(\.erased), done)
            }
        }
    }

    // MARK: On `queue`

    private func merge(_ users: [ErasedUser], _ unfinished: [UserID: UserID], last frame: UInt64) {
        ledger.withLock { ledger in
            for user in users {
                ledger.add(user, of: unfinished[user.alias])
                guard ledger.entries[user.alias]?.isGone == false, unfinished[user.alias] == nil else { continue }
                ended[user.alias] = frame
            }
        }
        write()
        recordPending()
        clean()
    }

    private func end(_ alias: UserID, frame: UInt64) {
        guard ledger.withLock({ $0.entries[alias]?.isGone == false }) else { return }
        ended[alias] = frame
        clean()
    }

    private func clean() {
        guard !isCleaning, let frame = ended.values.max() else { return }
        isCleaning = true
        let aliases = Array(ended.keys)
        let entries = ledger.withLock { ledger in aliases.compactMap { ledger.entries[$0] } }
        let now = WallClock.milliseconds() / 1_000
        let ignoresReaders = entries.contains { now - $0.erased.before >= Self.readerSeconds }
        if ignoresReaders { webhooks.drop(through: frame) }
        snapshots.erase(through: frame, ignoringReaders: ignoresReaders) { isDone in
            guard isDone else { return self.queue.async { self.finish(aliases, isDone: false) } }
            // By now, every event up to the frame has been delivered or is a dead letter.
            self.webhooks.erase(entries.compactMap(\.user)) {
                self.answers.whenErased {
                    self.search.scrub { isDone in self.queue.async { self.finish(aliases, isDone: isDone) } }
                }
            }
        }
    }

    private func finish(_ aliases: [UserID], isDone: Bool) {
        guard isDone else {
            queue.asyncAfter(deadline: .now() + .seconds(retrySeconds)) {
                self.isCleaning = false
                self.clean()
            }
            retrySeconds = min(2 * retrySeconds, Self.retrySeconds.upperBound)
            return
        }
        isCleaning = false
        retrySeconds = Self.retrySeconds.lowerBound
        ledger.withLock { $0.recordGone(aliases) }
        for alias in aliases { ended[alias] = nil }
        write()
        recordPending()
        logger.notice("deleted users are gone from the disk", metadata: ["users": "\(aliases.count)"])
        clean()
    }

    /// Writes the ledger, unless an earlier call has written all changes.
    private func write() {
        let changed = ledger.withLock { ledger in
            defer { ledger.isUnwritten = false }
            return ledger.isUnwritten ? ledger : nil
        }
        guard let changed else { return }
        do { try changed.write() } catch {
            // Written again with the next change, and compared with the chat at the next start.
            ledger.withLock { $0.isUnwritten = true }
            logger.error("cannot write the ledger of deleted users", metadata: ["error": "\(error)"])
        }
    }

    private func recordPending() {
        pending.record(ledger.withLock { $0.entries.values.count { !$0.isGone } })
    }
}
