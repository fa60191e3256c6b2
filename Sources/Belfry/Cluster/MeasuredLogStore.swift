#if Cluster
import CoreMetrics
import Dispatch
import MetricTable
import Metrics
import Replication

/// The shared log with metrics.
final class MeasuredLogStore: LogStore {
    private let store: any LogStore
    private let appends: Timer
    private let reads: Counter

    init(_ store: any LogStore, _ factory: any MetricsFactory) {
        self.store = store
        appends = Timer(.clusterAppendSeconds, factory)
        reads = Counter(.clusterLogReads, factory)
    }

    func append(
        _ message: [UInt8], expecting last: UInt64, id: String,
        _ done: @escaping @Sendable (AppendOutcome) -> Void
    ) {
        let start = DispatchTime.now().uptimeNanoseconds
        store.append(message, expecting: last, id: id) { [appends] outcome in
            if case .stored = outcome {
                appends.recordNanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds - start))
            }
            done(outcome)
        }
    }

    func read(
        from number: UInt64, bytes: Int,
        _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void
    ) {
        reads.increment()
        store.read(from: number, bytes: bytes, done)
    }

    func bounds(_ done: @escaping @Sendable (Result<LogBounds, LogStoreError>) -> Void) { store.bounds(done) }

    func usage(_ done: @escaping @Sendable (Result<LogUsage, LogStoreError>) -> Void) { store.usage(done) }

    func examine(
        _ number: UInt64, _ done: @escaping @Sendable (Result<DatedEntry?, LogStoreError>) -> Void
    ) { store.examine(number, done) }

    func trim(before number: UInt64, _ done: @escaping @Sendable (Result<Void, LogStoreError>) -> Void) {
        store.trim(before: number, done)
    }

    func follow(_ receive: @escaping @Sendable (LogEntry) -> Void) { store.follow(receive) }
}
#endif
