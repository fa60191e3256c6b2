import MetricTable
import Metrics
import Synchronization

/// Counts the uses of each server key, and remembers the last one. A key that is no longer used can be retired.
///
/// There is one series per current key, labelled with its id, and none for removed keys, so the configuration bounds
/// their number.
final class KeyUses: Sendable {
    /// A current key's counter, and when the key was last used since the start, in milliseconds since 1970.
    private struct Use {
        let counter: Counter
        var last: Int64?
    }

    private let uses = Mutex<[String: Use]>([:])
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Sets the current keys. Keys that remain keep their counts.
    func keepOnly(_ ids: some Sequence<String>) {
        let ids = Set(ids)
        uses.withLock { uses in
            for (id, use) in uses where !ids.contains(id) {
                use.counter.destroy()
                uses[id] = nil
            }
            for id in ids where uses[id] == nil {
                uses[id] = Use(counter: Counter(.apiKeyRequests, factory, dimensions: [("key", id)]))
            }
        }
    }

    /// Counts a request, unless its key has been removed.
    func record(_ id: String, now: Int64) {
        uses.withLock { uses in
            uses[id]?.last = now
            return uses[id]?.counter
        }?.increment()
    }

    /// Returns when the key was last used; nil if it was not since the start.
    func lastUse(of id: String) -> Int64? { uses.withLock { $0[id]?.last } }
}
