import MetricTable
import Metrics
import Synchronization

/// Counts the uses of each server key. A key whose count no longer rises can be retired.
///
/// There is one series per current key, labelled with its id, and none for removed keys, so the configuration bounds
/// their number.
final class KeyUses: Sendable {
    private let counters = Mutex<[String: Counter]>([:])
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Sets the current keys. Keys that remain keep their counts.
    func keepOnly(_ ids: some Sequence<String>) {
        let ids = Set(ids)
        counters.withLock { counters in
            for (id, counter) in counters where !ids.contains(id) {
                counter.destroy()
                counters[id] = nil
            }
            for id in ids where counters[id] == nil {
                counters[id] = Counter(.apiKeyRequests, factory, dimensions: [("key", id)])
            }
        }
    }

    /// Counts a request, unless its key has been removed.
    func record(_ id: String) { counters.withLock { $0[id] }?.increment() }
}
