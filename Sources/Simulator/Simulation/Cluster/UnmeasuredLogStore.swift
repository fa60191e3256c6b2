import Replication

/// A store that knows neither sizes nor times, so that nothing is ever old or full.
package protocol UnmeasuredLogStore: LogStore {}

extension UnmeasuredLogStore {
    package func usage(_ done: @escaping @Sendable (Result<LogUsage, LogStoreError>) -> Void) {
        bounds { bounds in done(bounds.map { LogUsage(bounds: $0, bytes: 0, byteLimit: nil) }) }
    }

    package func examine(
        _ number: UInt64, _ done: @escaping @Sendable (Result<DatedEntry?, LogStoreError>) -> Void
    ) {
        read(from: number, bytes: 1) { result in
            done(result.map { $0.first.map { DatedEntry(entry: $0, milliseconds: nil) } })
        }
    }
}
