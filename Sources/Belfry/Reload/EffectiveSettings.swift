import CoreMetrics
import MetricTable
import Metrics
import Synchronization

/// The configuration in effect: the initial one with the settings reloaded since.
final class EffectiveSettings: Sendable {
    private let current: Mutex<Configuration>
    private let reloads: Counter
    private let failures: Counter

    init(_ configuration: Configuration, _ factory: any MetricsFactory) {
        current = Mutex(configuration)
        reloads = Counter(.settingsReloads, factory)
        failures = Counter(.settingsReloadFailures, factory)
    }

    var configuration: Configuration { current.withLock { $0 } }

    func adopt(_ fresh: Configuration) -> SettingsChange { current.withLock { $0.adopt(fresh) } }

    /// Counts a reload that all parts of the server have applied; a hanging loop applies it when it resumes.
    func recordSuccess() { reloads.increment() }

    func recordFailure() { failures.increment() }
}
