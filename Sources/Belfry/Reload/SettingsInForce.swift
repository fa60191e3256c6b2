import CoreMetrics
import Metrics
import Synchronization

/// What a running server goes by: the configuration of its start, with what it has taken over since.
final class SettingsInForce: Sendable {
    private let current: Mutex<Configuration>
    private let reloads: Counter
    private let failures: Counter

    init(_ configuration: Configuration, _ factory: any MetricsFactory) {
        current = Mutex(configuration)
        reloads = Counter(label: "belfry_settings_reloads_total", factory: factory)
        failures = Counter(label: "belfry_settings_reload_failures_total", factory: factory)
    }

    var configuration: Configuration { current.withLock { $0 } }

    func adopt(_ fresh: Configuration) -> SettingsChange { current.withLock { $0.adopt(fresh) } }

    /// All parts of the server go by what was adopted; a loop that hangs, when it comes to it.
    func succeeded() { reloads.increment() }

    func failed() { failures.increment() }
}
