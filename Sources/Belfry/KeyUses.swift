import Metrics
import Synchronization

/// Counts what each server key is used for: one that is to be given up may go when its number stands still.
///
/// A series for each key there is, by its name, and none for those that are gone: the configuration bounds them.
final class KeyUses: Sendable {
    private let counters = Mutex<[String: Counter]>([:])
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// These are the keys from here on; what is counted of those that stay goes on.
    func keepOnly(_ ids: some Sequence<String>) {
        let ids = Set(ids)
        counters.withLock { counters in
            for (id, counter) in counters where !ids.contains(id) {
                counter.destroy()
                counters[id] = nil
            }
            for id in ids where counters[id] == nil {
                counters[id] = Counter(
                    label: "belfry_api_key_requests_total", dimensions: [("key", id)], factory: factory)
            }
        }
    }

    /// One request more; of a key that is gone by now, none.
    func note(_ id: String) { counters.withLock { $0[id] }?.increment() }
}
