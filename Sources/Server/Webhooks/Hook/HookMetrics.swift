import ChatEngine
import CoreMetrics
import MetricTable
import Metrics

struct HookMetrics: Sendable {
    private let allowed: Counter
    private let refused: Counter
    private let replaced: Counter
    private let failed: Counter
    private let overloaded: Counter
    let refusedAddresses: Counter
    /// The requests under way.
    let requests: Gauge
    let seconds: Timer

    init(_ factory: any MetricsFactory) {
        func counter(_ outcome: String) -> Counter {
            Counter(.hookRequests, factory, dimensions: [("outcome", outcome)])
        }
        allowed = counter("allowed")
        refused = counter("refused")
        replaced = counter("replaced")
        failed = counter("failed")
        overloaded = counter("overloaded")
        refusedAddresses = Counter(.hookAddressesRefused, factory)
        requests = Gauge(.hookRequestsUnderWay, factory)
        seconds = Timer(.hookSeconds, factory)
    }

    func count(_ verdict: HookVerdict) {
        switch verdict {
        case .allow: allowed.increment()
        case .refuse: refused.increment()
        case .replace: replaced.increment()
        case .failed: failed.increment()
        case .overloaded: overloaded.increment()
        }
    }
}
