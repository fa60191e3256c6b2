import Logging
import Synchronization

/// A log handler whose level is shared by all loggers made from it, so that the level can change while they are in use.
package struct SharedLevelLogHandler: LogHandler {
    /// An atomic index rather than a value under a lock, because every loop reads the level for each potential log
    /// line.
    private final class Level: Sendable {
        private static let all = Logger.Level.allCases
        private let place: Atomic<Int>

        init(_ value: Logger.Level) { place = Atomic(Self.place(of: value)) }

        var value: Logger.Level {
            get { Self.all[place.load(ordering: .relaxed)] }
            set { place.store(Self.place(of: newValue), ordering: .relaxed) }
        }

        private static func place(of level: Logger.Level) -> Int { all.firstIndex(of: level) ?? 0 }
    }

    private var base: any LogHandler
    private let level: Level

    /// - Parameter base: Writes the lines that pass; its own level is ignored.
    package init(_ base: any LogHandler, level: Logger.Level) {
        self.base = base
        self.level = Level(level)
    }

    package var logLevel: Logger.Level {
        get { level.value }
        nonmutating set { level.value = newValue }
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
