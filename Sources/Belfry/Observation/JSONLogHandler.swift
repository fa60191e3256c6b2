import Glibc
import Logging
import WireProtocol

/// Writes each log event as one line of JSON, for log collectors.
///
///     {"time":"2026-11-22T13:00:00.123Z","level":"notice","message":"listening","port":"8080"}
///
/// Metadata become top-level fields, sorted by name, after `time` (RFC 3339, UTC), `level` and `message`. A key that
/// collides with one of those three gets an underscore as prefix.
package struct JSONLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level = .info
    private let write: @Sendable ([UInt8]) -> Void
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    /// - Parameter write: Receives whole lines, from any thread.
    package init(
        clock: (@Sendable () -> Int64)? = nil,
        write: @escaping @Sendable ([UInt8]) -> Void = JSONLogHandler.writeToStandardError
    ) {
        self.clock = clock ?? WallClock.milliseconds
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata
        if let metadataProvider { fields.merge(metadataProvider.get()) { $1 } }
        if let explicit = event.metadata { fields.merge(explicit) { $1 } }
        if let error = event.error { fields["error"] = "\(error)" }
        var writer = JSONWriter(capacity: 256)
        writer.object { line in
            line.field("time", Self.text(milliseconds: clock()))
            line.field("level", event.level.rawValue)
            line.field("message", event.message.description)
            for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
                line.raw(Self.reserved.contains(key) ? "_" + key : key, Self.json(value))
            }
        }
        write(writer.bytes + [UInt8(ascii: "\n")])
    }

    private static let reserved: Set = ["time", "level", "message"]

    private static func json(_ value: Logger.MetadataValue) -> [UInt8] {
        switch value {
        case .string(let text): return quoted(text)
        case .stringConvertible(let value): return quoted(value.description)
        case .array(let values): return bracketed("[", values.map(json), "]")
        case .dictionary(let values):
            let pairs = values.sorted { $0.key < $1.key }
            return bracketed("{", pairs.map { quoted($0.key) + [UInt8(ascii: ":")] + json($0.value) }, "}")
        }
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return bytes
    }

    private static func bracketed(_ open: String, _ elements: [[UInt8]], _ close: String) -> [UInt8] {
        Array(open.utf8) + elements.joined(separator: [UInt8(ascii: ",")]) + Array(close.utf8)
    }

    /// Formats a time as `2026-11-22T13:00:00.123Z`. RFC 3339 §5.6.
    static func text(milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        guard milliseconds >= 0, gmtime_r(&seconds, &parts) != nil else { return "1970-01-01T00:00:00.000Z" }
        let date = [padded(Int(parts.tm_year) + 1_900, 4), padded(Int(parts.tm_mon) + 1), padded(Int(parts.tm_mday))]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0)) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "."
            + padded(Int(milliseconds % 1_000), 3) + "Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Uses a single `write` call if the kernel accepts all bytes, so that lines from several threads do not
    /// interleave.
    package static let writeToStandardError: @Sendable ([UInt8]) -> Void = { line in
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // The reader of the log is gone or its disk is full: drop the line and keep the server running.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
