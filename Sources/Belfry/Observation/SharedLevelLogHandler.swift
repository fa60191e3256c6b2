import Logging
import Synchronization

/// A handler whose level is one for all loggers that were made from it, so that it can change while they are in use.
package struct SharedLevelLogHandler: LogHandler {
    private final class Level: Sendable {
        let value: Mutex<Logger.Level>
        init(_ value: Logger.Level) { self.value = Mutex(value) }
    }

    private var base: any LogHandler
    private let level: Level

    /// - Parameter base: Writes what is loud enough; its own level is not asked.
    package init(_ base: any LogHandler, level: Logger.Level) {
        self.base = base
        self.level = Level(level)
    }

    package var logLevel: Logger.Level {
        get { level.value.withLock(\.self) }
        nonmutating set { level.value.withLock { $0 = newValue } }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) { base.log(event: event) }
}
