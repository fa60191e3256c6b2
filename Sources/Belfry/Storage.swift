import ChatEngine
import Dispatch
import Glibc
import Journal
import Logging
import MetricTable
import Metrics

/// A failure of the disk to store client data.
public struct StorageFailure: Error, CustomStringConvertible {
    /// The failure, in one line.
    public let description: String
}

/// A data folder's open journal, and the handling of its failures.
struct Storage {
    /// The journal's queue, which also publishes events.
    let queue = DispatchQueue(label: "belfry.journal")
    let log: DiskLog<Outcome>
    let snapshots: SnapshotKeeper
    private let failures: AsyncStream<DiskError>
    private let logger: Logger

    /// Opens the folder's journal and repairs the effects of a crash.
    ///
    /// - Parameter isMirror: Whether the journal mirrors the log of a cluster.
    /// - Throws: When a part of it is missing, damaged or newer than this server, and when the disk cannot be used.
    init(
        _ folder: DataFolder, limits: Limits, isMirror: Bool = false, metrics factory: any MetricsFactory,
        logger: Logger
    ) throws(ConfigurationError) {
        let journal = folder.path + "/journal"
        let snapshots = SnapshotKeeper(
            journal: journal, kept: limits.engine.recoverableFrames, keptBytes: limits.engine.recoverableBytes,
            lagBytes: limits.webhooks.lagBytes, options: limits.snapshots, metrics: factory, logger: logger)
        self.snapshots = snapshots
        let observer = JournalMetrics(factory).observer(logger) { snapshots.recordClosedSegment(bytes: $0) }
        let (failures, failure) = AsyncStream.makeStream(of: DiskError.self)
        self.failures = failures
        self.logger = logger
        do throws(JournalError) {
            log = try DiskLog(
                folder: journal, queue: queue, options: limits.journalOptions(isMirror: isMirror), observer: observer
            ) { error in
                logger.critical("cannot write the journal", metadata: ["error": "\(error)"])
                failure.yield(error)
            }
        } catch {
            throw Self.refusal(error)
        }
        report(log.report)
    }

    /// Restores the engine from the journal and starts making snapshots.
    ///
    /// - Parameter limit: Called for each snapshot; returns the last frame that may go into it.
    /// - Throws: When the journal cannot be replayed.
    func restore(
        _ engine: ChatEngine, snapshotsThrough limit: @escaping @Sendable () -> UInt64
    ) throws(ConfigurationError) {
        do {
            try engine.restore()
            snapshots.start(log, engine, through: limit)
        } catch let error as JournalError {
            throw Self.refusal(error)
        } catch {
            throw ConfigurationError("cannot read the journal: \(error)", exitCode: EX_DATAERR)
        }
    }

    /// Stops making snapshots. Call it after the log's `close`, which writes pending frames.
    func stopSnapshots(_ completion: @escaping @Sendable () -> Void) { snapshots.stop(completion) }

    /// - Returns: `nil` if the task is cancelled first.
    func failure() async -> StorageFailure? {
        await failures.first { _ in true }.map { StorageFailure(description: "cannot write the journal: \($0)") }
    }

    static func refusal(_ error: JournalError) -> ConfigurationError {
        guard case .disk(let disk) = error else {
            return ConfigurationError("cannot use the journal: \(error)", exitCode: EX_DATAERR)
        }
        let isForbidden = disk.code == EACCES || disk.code == EPERM
        return ConfigurationError("\(disk)", exitCode: isForbidden ? EX_NOPERM : EX_IOERR)
    }

    private func report(_ report: JournalReport) {
        if let cut = report.cut {
            logger.warning(
                "cut off an unfinished write that was never acknowledged",
                metadata: ["segment": "\(cut.segment)", "offset": "\(cut.offset)", "bytes": "\(cut.bytes)"])
        }
        if report.wasUnclean { logger.notice("the previous run did not shut down cleanly") }
        logger.info(
            "journal opened",
            metadata: [
                "segments": "\(report.segments.count)", "snapshots": "\(report.snapshots.count)",
                "frames": "\(report.last)",
            ])
    }
}

private struct JournalMetrics: Sendable {
    private let syncs: Counter
    private let frames: Counter
    private let seconds: Gauge
    private let syncSeconds: Timer
    private let batch: Recorder
    private let short: Gauge
    private let damaged: Counter

    init(_ factory: any MetricsFactory) {
        syncs = Counter(.journalSyncs, factory)
        frames = Counter(.journalFrames, factory)
        seconds = Gauge(.journalLastSyncSeconds, factory)
        syncSeconds = Timer(.journalSyncSeconds, factory)
        batch = Recorder(.journalBatchFrames, factory)
        short = Gauge(.journalSpaceShort, factory)
        short.record(0)
        damaged = Counter(.snapshotsDamaged, factory)
    }

    func observer(_ logger: Logger, onSegment: @escaping @Sendable (Int) -> Void) -> JournalObserver {
        JournalObserver(
            onBatch: { count, nanoseconds in
                syncs.increment()
                frames.increment(by: count)
                seconds.record(Double(nanoseconds) / 1e9)
                syncSeconds.recordNanoseconds(Int64(clamping: nanoseconds))
                batch.record(count)
            },
            onSpace: { isShort in short.record(isShort ? 1 : 0) }, onSegment: onSegment,
            onDamage: { error in
                damaged.increment()
                logger.error(
                    "skipped an unreadable snapshot in favour of an older one", metadata: ["error": "\(error)"])
            })
    }
}
