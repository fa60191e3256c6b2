import Belfry
import Foundation
import HTTPCodec
import HTTPTypes
import Logging
import Synchronization
import Testing

/// A gate that callers wait at until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

/// The log output as text.
final class LogLines: Sendable {
    let lines = Mutex<[String]>([])

    private struct Handler: LogHandler {
        let log: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            log.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
}

extension Browser {
    func send(_ text: String) throws { try peer.write(Array(text.utf8)) }

    func ask(_ method: String, _ path: String, _ fields: String = "", body: String = "") async throws -> Answer {
        try send(
            "\(method) \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
        return try await answer()
    }
}

extension TestServer {
    /// Waits until a metric has a value, or gives up.
    func awaits(_ name: String, _ condition: (Int) -> Bool) async throws -> Bool {
        for _ in 0..<2_000 {
            if let value = try await metric(name), condition(value) { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
