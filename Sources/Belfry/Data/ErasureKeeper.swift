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
    /// The earliest delay at which a server that was away gives up waiting for its disk: after about a minute, serving
    /// matters more than bytes that a lagging webhook, or a failing disk, keeps.
    private static let patienceSeconds = 32

    private let queue = DispatchQueue(label: "belfry.erasures")
    /// Only the path, because whoever holds the folder keeps it locked.
    private let folder: String
    private let ledger: Mutex<ErasureLedger>
    private let missed = Mutex(MissedErasures())
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
        self.folder = folder.path
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
            let isNew = ledger.withLock { $0.add(erased, of: user) }
            if isNew { missed.withLock { $0.began(erased.alias) } }
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

    /// Completes the deletions that an earlier process left unfinished. For a node of a cluster, which learns of others
    /// later.
    func start(_ engine: ChatEngine) { merge(with: engine) {} }

    /// The same for a single server, which also repeats the deletions that the chat does not know.
    ///
    /// - Parameter done: Called once the chat has repeated them all.
    func start(_ engine: ChatEngine, _ done: @escaping @Sendable () -> Void) {
        let comparison = missed.withLock { missed in
            _ = missed.check(isCurrent: true)
            return missed.comparison
        }
        compare(engine, comparison, done)
    }

    /// Whether nothing is left here of users who were deleted while the server was away. Call it again and again.
    ///
    /// - Parameter isCurrent: Whether the server is as far as its cluster; always true for a single one.
    func isClear(_ engine: ChatEngine, isCurrent: Bool) -> Bool {
        let (comparison, isClear) = missed.withLock { missed in
            (missed.check(isCurrent: isCurrent) ? missed.comparison : nil, missed.phase == .ready)
        }
        if let comparison { compare(engine, comparison) }
        return isClear
    }

    /// Compares the ledger with the chat, and repeats the deletions that the chat does not know.
    private func compare(_ engine: ChatEngine, _ comparison: Int, _ done: @escaping @Sendable () -> Void = {}) {
        engine.catchUp { isCurrent in
            guard isCurrent else { return self.missed.withLock { $0.compared(comparison, isDone: false) } }
            self.merge(with: engine) {
                engine.repeatErasures(self.ledger.withLock(\.sorted).map(\.erased)) {
                    self.missed.withLock { $0.compared(comparison, isDone: true) }
                    done()
                }
            }
        }
    }

    private func merge(with engine: ChatEngine, _ done: @escaping @Sendable () -> Void) {
        engine.readErasedUsers { users, unfinished, frame in
            self.queue.async {
                self.merge(users, unfinished, last: frame)
                done()
            }
        }
    }

    // MARK: On `queue`

    private func merge(_ users: [ErasedUser], _ unfinished: [UserID: UserID], last frame: UInt64) {
        let new = ledger.withLock { ledger in
            users.filter { user in
                let isNew = ledger.add(user, of: unfinished[user.alias])
                if ledger.entries[user.alias]?.isGone == false, unfinished[user.alias] == nil {
                    ended[user.alias] = frame
                }
                return isNew
            }
        }
        missed.withLock { missed in for user in new { missed.began(user.alias) } }
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
        guard isDone, removeReplacedJournal() else {
            if retrySeconds >= Self.patienceSeconds { giveUpWaiting(for: aliases) }
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
        missed.withLock { $0.cleared(aliases) }
        logger.notice("deleted users are gone from the disk", metadata: ["users": "\(aliases.count)"])
        clean()
    }

    private func giveUpWaiting(for aliases: [UserID]) {
        let wasWaiting = missed.withLock { missed in
            defer { missed.cleared(aliases) }
            return missed.phase == .clearing
        }
        guard wasWaiting else { return }
        logger.warning(
            "deleted users are still on the disk; the server is ready nevertheless",
            metadata: ["users": "\(aliases.count)"])
    }

    /// Removes the journal that a copy of another node's replaced: it has everyone who was deleted since.
    ///
    /// - Returns: Whether there is none any longer.
    private func removeReplacedJournal() -> Bool {
        do throws(ConfigurationError) {
            if try JournalReplacement(folder: folder).removeReplaced() {
                logger.notice("removed a replaced journal, which may name deleted users")
            }
            return true
        } catch {
            logger.error("cannot remove a replaced journal", metadata: ["error": "\(error)"])
            return false
        }
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
