#if Cluster
import Foundation
import LiveServers
import NATS
import Replication
import Synchronization
import Testing

/// A connection to test servers, with the last state it reported.
final class Client: Sendable {
    private final class Reports: Sendable {
        let last = Mutex<NATSConnection.State?>(nil)
    }

    let connection: NATSConnection
    private let reports = Reports()

    convenience init(_ servers: [NATSServer], tls: NATSSettings.TLS? = nil) throws {
        try self.init(urls: servers.map(\.url), tls: tls)
    }

    init(urls: [String], credentials: String? = nil, tls: NATSSettings.TLS? = nil) throws {
        let settings = try NATSSettings(servers: urls, name: "test", credentials: credentials, tls: tls)
        connection = NATSConnection(settings) { [reports] state in reports.last.withLock { $0 = state } }
    }

    deinit { connection.close() }

    var state: NATSConnection.State? { reports.last.withLock { $0 } }

    var isConnected: Bool { if case .connected = state { true } else { false } }

    /// The reason why it is not connected.
    var failure: NATSError? { if case .reconnecting(let error) = state { error } else { nil } }

    func open(_ settings: StreamSettings, creating: Bool = true) async -> Result<JetStreamStore, NATSError> {
        await result { JetStreamStore.open(settings, on: connection, creating: creating, $0) }
    }

    /// Opens a log, as soon as the servers can.
    func log(_ cluster: String = "test", replicas: Int = 1, byteLimit: Int64 = -1) async throws -> JetStreamStore {
        let settings = try StreamSettings(cluster: cluster, incarnation: 1, replicas: replicas, byteLimit: byteLimit)
        let log = Mutex<JetStreamStore?>(nil)
        try await eventually {
            guard let opened = try? await self.open(settings).get() else { return false }
            log.withLock { $0 = opened }
            return true
        }
        return try #require(log.withLock { $0 })
    }
}

/// Waits for a callback.
func result<T: Sendable>(_ start: (@escaping @Sendable (T) -> Void) -> Void) async -> T {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}

/// Waits until a condition holds.
func eventually(
    _ condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "not within 60 s", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// A starved server answers too late, or loses the connection. Only the tests of such faults expect that; all others ask
/// again until they have an answer.
extension LogStore {
    func append(_ text: String, after last: UInt64, id: String? = nil) async throws -> AppendOutcome {
        try await answer {
            await appendOnce(text, after: last, id: id)
        } until: {
            $0 != .unknown
        }
    }

    func appendOnce(_ text: String, after last: UInt64, id: String? = nil) async -> AppendOutcome {
        await result { append(Array(text.utf8), expecting: last, id: id ?? text, $0) }
    }

    func read(from number: UInt64, bytes: Int = 1 << 20) async throws -> Result<[LogEntry], LogStoreError> {
        try await answer {
            await result { read(from: number, bytes: bytes, $0) }
        } until: {
            $0 != .failure(.unreachable)
        }
    }

    func bounds() async throws -> Result<LogBounds, LogStoreError> {
        try await answer {
            await boundsOnce()
        } until: {
            $0 != .failure(.unreachable)
        }
    }

    func boundsOnce() async -> Result<LogBounds, LogStoreError> { await result { bounds($0) } }

    func usage() async throws -> Result<LogUsage, LogStoreError> {
        try await answer {
            await result { usage($0) }
        } until: {
            $0 != .failure(.unreachable)
        }
    }

    func examine(_ number: UInt64) async throws -> Result<DatedEntry?, LogStoreError> {
        try await answer {
            await result { examine(number, $0) }
        } until: {
            $0 != .failure(.unreachable)
        }
    }

    func trim(before number: UInt64) async throws -> Result<Void, LogStoreError> {
        try await answer {
            await result { trim(before: number, $0) }
        } until: {
            if case .failure(.unreachable) = $0 { false } else { true }
        }
    }

    /// Reads to the end.
    func texts(from number: UInt64 = 1) async throws -> [String] {
        var texts: [String] = []
        while true {
            let entries = try await read(from: number + UInt64(texts.count)).get()
            if entries.isEmpty { return texts }
            texts += entries.map { String(decoding: $0.message, as: UTF8.self) }
        }
    }

    private func answer<Answer: Sendable>(
        _ ask: () async -> Answer, until isAnswered: (Answer) -> Bool
    ) async throws -> Answer {
        let answer = Mutex<Answer?>(nil)
        try await eventually {
            let latest = await ask()
            answer.withLock { $0 = latest }
            return isAnswered(latest)
        }
        return try #require(answer.withLock { $0 })
    }
}

/// What a callback received.
final class Received<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
#endif
