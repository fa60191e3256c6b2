import ChatEngine
import Dispatch
import EventLoops
import Journal
import Logging
import MetricTable
import Metrics
import Synchronization

package struct SnapshotOptions: Sendable, Equatable {
    /// The size of closed journal segments that triggers a snapshot, in bytes.
    package var bytes = 134_217_728
    /// The time after which a smaller snapshot is made, unless it would be empty.
    package var seconds = 3_600
    package init() {}
}

/// Makes snapshots while the server runs, each on a low-priority thread.
final class SnapshotKeeper: Sendable {
    private struct Work {
        /// The size of segments closed since the last snapshot, in bytes.
        var bytes: Int
        var isStopping = false
        var erasures: [Erasure] = []
    }

    /// A request to leave nothing of older frames on the disk.
    private struct Erasure: Sendable {
        let frame: UInt64
        /// Whether webhooks that lag lose the events of these frames if the server restarts.
        let ignoresReaders: Bool
        /// Gets whether it is done.
        let done: @Sendable (Bool) -> Void
    }

    /// The delay after a snapshot that failed because of the disk.
    private static let retrySeconds = 60
    private let journal: String
    private let kept: Int
    private let keptBytes: Int
    private let lagBytes: Int
    private let options: SnapshotOptions
    private let metrics: SnapshotMetrics
    private let logger: Logger
    private let work = Mutex(Work(bytes: 0))
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - journal: The journal's folder.
    ///   - kept: The number of frames at the journal's end to leave out of snapshots.
    ///   - keptBytes: The same limit in bytes.
    ///   - lagBytes: Bytes of frames retained for webhooks that lag.
    init(
        journal: String, kept: Int, keptBytes: Int, lagBytes: Int, options: SnapshotOptions,
        metrics factory: any MetricsFactory,
        logger: Logger
    ) {
        self.journal = journal
        self.kept = kept
        self.keptBytes = keptBytes
        self.lagBytes = lagBytes
        self.options = options
        metrics = SnapshotMetrics(factory)
        self.logger = logger
    }

    func recordClosedSegment(bytes: Int) {
        let isDue = work.withLock { work in
            work.bytes += bytes
            return work.bytes >= options.bytes
        }
        if isDue { wake.signal() }
    }

    /// - Parameters:
    ///   - engine: Uses the blocks that a snapshot has written.
    ///   - limit: Called for each snapshot; returns the last frame that may go into it.
    func start(
        _ log: DiskLog<Outcome>, _ engine: ChatEngine, through limit: @escaping @Sendable () -> UInt64 = { .max }
    ) {
        let newest = log.report.snapshots.last?.sequence ?? 0
        recordClosedSegment(
            bytes: log.report.segments.filter { $0.first > newest }.reduce(0) { $0 + $1.bytes })
        ended.enter()
        do {
            try PlainThread.run(named: "belfry.snapshot") { [self] in
                run(log, engine, newest, SegmentSizes(log.report), limit)
                ended.leave()
            }
        } catch {
            logger.error("cannot create the snapshot thread", metadata: ["error": "\(error)"])
            ended.leave()
        }
    }

    /// Makes a snapshot of everything, and deletes all older files.
    ///
    /// - Parameters:
    ///   - frame: The last frame of which nothing may remain.
    ///   - ignoresReaders: Whether webhooks that lag lose the events of these frames if the server restarts.
    ///   - done: Gets false if that was impossible; called on the keeper's thread, unless the keeper is stopped.
    func erase(through frame: UInt64, ignoringReaders ignoresReaders: Bool, _ done: @escaping @Sendable (Bool) -> Void)
    {
        work.withLock {
            $0.erasures.append(Erasure(frame: frame, ignoresReaders: ignoresReaders, done: done))
        }
        wake.signal()
    }

    /// Aborts a snapshot in progress.
    func stop(_ done: @escaping @Sendable () -> Void) {
        work.withLock { $0.isStopping = true }
        wake.signal()
        ended.notify(queue: .global(), execute: done)
    }

    private var isStopping: Bool { work.withLock(\.isStopping) }

    // MARK: On the thread

    private func run(
        _ log: DiskLog<Outcome>, _ engine: ChatEngine, _ newest: UInt64, _ sizes: SegmentSizes, _ limit: () -> UInt64
    ) {
        var newest = newest
        var isRetry = false
        while true {
            let seconds = isRetry ? min(options.seconds, Self.retrySeconds) : options.seconds
            let isTime = wake.wait(timeout: .now() + .seconds(seconds)) == .timedOut
            if isStopping { return }
            while let erasure = nextErasure() {
                let made = erase(erasure, log, engine, after: newest, limit(), sizes)
                if let made { newest = max(newest, made) }
                FreeMemory.returnToSystem()
                erasure.done(made != nil)
                if isStopping { return }
            }
            let bytes = work.withLock(\.bytes)
            let isDue = bytes >= options.bytes
            // If frames are large, fewer stay out of a snapshot; the byte count covers closed segments only.
            guard isDue || isTime, log.lastAppended > newest + UInt64(kept) || bytes > keptBytes else { continue }
            // Rotate only once, however many retries follow.
            if isTime, !isRetry { rotate(log) }
            isRetry = false
            defer { FreeMemory.returnToSystem() }
            do throws(JournalError) {
                if let sequence = try make(engine, after: newest, through: limit(), sizes) { newest = sequence }
            } catch {
                if case .interrupted = error { return }
                // Damage does not repair itself, so retry only when there is new data.
                if case .disk = error { isRetry = true }
                metrics.failures.increment()
                logger.error("cannot write a snapshot", metadata: ["error": "\(error)"])
            }
        }
    }

    private func nextErasure() -> Erasure? {
        work.withLock { $0.erasures.isEmpty ? nil : $0.erasures.removeFirst() }
    }

    /// - Returns: The last frame of the only snapshot; `nil` if not everything could be replaced.
    private func erase(
        _ erasure: Erasure, _ log: DiskLog<Outcome>, _ engine: ChatEngine, after newest: UInt64, _ limit: UInt64,
        _ sizes: SegmentSizes
    ) -> UInt64? {
        rotate(log)
        do throws(JournalError) {
            let lock = try JournalError.wrapping { () throws(DiskError) in
                try FileLock(journal + "/" + Compaction.lockName)
            }
            guard lock != nil else { return nil }
            defer { withExtendedLifetime(lock) {} }
            let began = DispatchTime.now().uptimeNanoseconds
            let compaction = compaction(keeping: 0, .max, through: erasure.ignoresReaders ? .max : limit, .max, sizes)
            let bytes = work.withLock(\.bytes)
            guard let result = try run({ () throws(JournalError) in try compaction.erase(through: erasure.frame) })
            else { return nil }
            work.withLock { $0.bytes -= bytes }
            record(result, since: began)
            adopt(result, engine, known: newest)
            try overwriteUnused(compaction, result)
            return result.sequence
        } catch {
            if case .interrupted = error { return nil }
            metrics.failures.increment()
            logger.error("cannot write a snapshot", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func compaction(
        keeping kept: Int, _ keptBytes: Int, through limit: UInt64, _ lagBytes: Int, _ sizes: SegmentSizes
    ) -> Compaction {
        Compaction(
            PosixDisk(existing: journal), keeping: kept, bytes: keptBytes, through: limit, limitBytes: lagBytes,
            salt: .random(in: .min ... .max), sizes: sizes,
            isInterrupted: { self.isStopping })
    }

    private func rotate(_ log: DiskLog<Outcome>) {
        let done = DispatchSemaphore(value: 0)
        log.rotate { done.signal() }
        done.wait()
    }

    private func make(
        _ engine: ChatEngine, after newest: UInt64, through limit: UInt64, _ sizes: SegmentSizes
    ) throws(JournalError) -> UInt64? {
        let lock = try JournalError.wrapping { () throws(DiskError) in
            try FileLock(journal + "/" + Compaction.lockName)
        }
        // Someone is making a snapshot or a backup by hand.
        guard lock != nil else { return nil }
        let began = DispatchTime.now().uptimeNanoseconds
        let compaction = compaction(keeping: kept, keptBytes, through: limit, lagBytes, sizes)
        let bytes = work.withLock(\.bytes)
        let result = try run { () throws(JournalError) in try compaction.run() }
        work.withLock { $0.bytes -= bytes }
        guard let result else { return nil }
        record(result, since: began)
        adopt(result, engine, known: newest)
        try overwriteUnused(compaction, result)
        return result.sequence
    }

    private func overwriteUnused(_ compaction: Compaction, _ result: Compaction.Result) throws(JournalError) {
        _ = try run { () throws(JournalError) in
            try compaction.overwriteUnused(after: result)
            return nil
        }
    }

    private func record(_ result: Compaction.Result, since began: UInt64) {
        for error in result.damaged {
            logger.error("replaced what is damaged", metadata: ["error": "\(error)"])
        }
        let seconds = Double(DispatchTime.now().uptimeNanoseconds &- began) / 1e9
        metrics.record(result, seconds: seconds)
        logger.notice(
            "snapshot completed",
            metadata: [
                "frame": "\(result.sequence)", "bytes": "\(result.bytes)", "seconds": "\(seconds)",
                "block_bytes": "\(result.blockBytes)", "removed": "\(result.removed.count)",
            ])
    }

    /// Lets the engine use the new blocks, before the next snapshot deletes those that it uses now.
    ///
    /// - Parameter known: The snapshot whose blocks it uses now.
    private func adopt(_ result: Compaction.Result, _ engine: ChatEngine, known: UInt64) {
        let done = DispatchSemaphore(value: 0)
        // Another process may have made snapshots, and moved blocks.
        let blocks = result.base == known ? result.newBlocks : result.blocks
        engine.adopt(blocks, asOf: result.time, keeping: result.blockFiles) { [logger] problem in
            if let problem { logger.error("cannot open message texts", metadata: ["error": "\(problem)"]) }
            done.signal()
        }
        done.wait()
    }

    private func run(
        _ compact: @escaping @Sendable () throws(JournalError) -> Compaction.Result?
    ) throws(JournalError) -> Compaction.Result? {
        let outcome = Mutex<Result<Compaction.Result?, JournalError>>(.success(nil))
        do {
            try PlainThread.runAtLowestPriority(named: "belfry.compact") {
                let result = Result { () throws(JournalError) in try compact() }
                outcome.withLock { $0 = result }
            }
        } catch {
            throw .disk(DiskError(operation: error.operation, path: journal, code: error.errno))
        }
        return try outcome.withLock { $0 }.get()
    }
}

private struct SnapshotMetrics: Sendable {
    private let snapshots: Counter
    let failures: Counter
    private let bytes: Gauge
    private let blockBytes: Gauge
    private let seconds: Gauge

    init(_ factory: any MetricsFactory) {
        snapshots = Counter(.snapshots, factory)
        failures = Counter(.snapshotFailures, factory)
        bytes = Gauge(.snapshotBytes, factory)
        blockBytes = Gauge(.blockFileBytes, factory)
        seconds = Gauge(.snapshotSeconds, factory)
    }

    func record(_ result: Compaction.Result, seconds: Double) {
        snapshots.increment()
        bytes.record(result.bytes)
        blockBytes.record(result.blockBytes)
        self.seconds.record(seconds)
    }
}
