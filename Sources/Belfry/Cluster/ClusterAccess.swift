#if Cluster
import CoreMetrics
import Dispatch
import Gateway
import Glibc
import Logging
import NATS
import Replication

/// A connection to a cluster's NATS servers, for a node and for the commands that manage a cluster.
final class ClusterAccess: Sendable {
    let settings: Configuration.Cluster
    let node: NodeID
    private let connection: NATSConnection
    private let state: NATSState
    /// When startup gives up, in nanoseconds of uptime; nil for never.
    private let deadline: UInt64?

    /// Connects to one of the servers.
    ///
    /// - Throws: When none accepts the connection in time.
    init(
        _ settings: Configuration.Cluster, logger: Logger, metrics: any MetricsFactory
    ) async throws(ConfigurationError) {
        self.settings = settings
        let name = try settings.nodeName()
        // Of two processes with one name, the later one leaves.
        let start = UInt64(clamping: WallClock.milliseconds()) << 16 | .random(in: 0...0xFFFF)
        guard let node = NodeID(name: name, start: start) else {
            throw ConfigurationError("the host name \"\(name)\" cannot name this node: set cluster.node")
        }
        self.node = node
        let state = NATSState(logger, metrics)
        self.state = state
        let wait = UInt64(settings.waitSeconds) * 1_000_000_000
        deadline = wait == 0 ? nil : DispatchTime.now().uptimeNanoseconds + wait
        do throws(NATSError) {
            connection = NATSConnection(
                try settings.nats(clientName: "belfry \(name)"), dropped: { state.record(dropped: $0) },
                report: { state.record($0) })
        } catch {
            throw settings.failure(error)
        }
        do throws(ConfigurationError) {
            try await waitForConnection()
        } catch {
            close()
            throw error
        }
    }

    var queue: DispatchQueue { connection.queue }

    func close() { connection.close() }

    /// - Parameter incarnation: Nil for a listener that hears the nodes of all incarnations.
    func bus(_ incarnation: UInt64?) throws(ConfigurationError) -> NATSBus {
        do throws(NATSError) {
            return try NATSBus(connection, cluster: settings.name, incarnation: incarnation)
        } catch {
            throw settings.failure(error)
        }
    }

    private var isLate: Bool { deadline.map { DispatchTime.now().uptimeNanoseconds >= $0 } ?? false }

    private func waitForConnection() async throws(ConfigurationError) {
        while let failure = state.failure(at: DispatchTime.now().uptimeNanoseconds) {
            if isLate || failure.isLasting || Task.isCancelled { throw settings.failure(failure.error ?? .silence) }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The incarnations of the cluster's log, in ascending order.
    func incarnations() async throws(ConfigurationError) -> [UInt64] {
        try await repeating { milliseconds, done in
            JetStreamStore.incarnations(of: self.settings.name, on: self.connection, milliseconds: milliseconds, done)
        }
    }

    private func stream(_ incarnation: UInt64) throws(ConfigurationError) -> StreamSettings {
        do throws(NATSError) {
            return try StreamSettings(
                cluster: settings.name, incarnation: incarnation, replicas: settings.replicas,
                byteLimit: settings.maxBytes == 0 ? -1 : Int64(settings.maxBytes))
        } catch {
            throw settings.failure(error)
        }
    }

    /// A log for operators, whatever its settings are.
    func uncheckedLog(_ incarnation: UInt64) throws(ConfigurationError) -> JetStreamStore {
        JetStreamStore(unchecked: try stream(incarnation), on: connection)
    }

    /// Opens the log, or creates it.
    func openLog(_ incarnation: UInt64, creating: Bool) async throws(ConfigurationError) -> JetStreamStore {
        let stream = try stream(incarnation)
        return try await repeating { milliseconds, done in
            JetStreamStore.open(stream, on: self.connection, creating: creating, milliseconds: milliseconds, done)
        }
    }

    func report(of store: JetStreamStore) async throws(ConfigurationError) -> StreamReport {
        try await repeating { _, done in store.report(done) }
    }

    /// Repeats a request until JetStream answers or the time is up. A cluster of NATS servers that has just started
    /// refuses requests until it has elected a leader.
    func repeating<Value: Sendable>(
        _ request: @Sendable (Int, @escaping @Sendable (Result<Value, NATSError>) -> Void) -> Void
    ) async throws(ConfigurationError) -> Value {
        var absences = 0
        while true {
            let result = await withCheckedContinuation { continuation in
                request(requestMilliseconds) { continuation.resume(returning: $0) }
            }
            let error: NATSError
            switch result {
            case .success(let value): return value
            case .failure(let failure): error = failure
            }
            if case .noJetStream = error { absences += 1 }
            guard error.mayPass, absences < Self.absences, !isLate, !Task.isCancelled else {
                // Without a connection, its failure is the reason.
                let now = DispatchTime.now().uptimeNanoseconds
                throw settings.failure(state.failure(at: now)?.error ?? error)
            }
            try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
    }

    static let pauseMilliseconds = 200
    /// How many times in a row a server may claim to have no JetStream, because it may just be starting.
    private static let absences = 10

    private var requestMilliseconds: Int {
        guard let deadline else { return JetStreamStore.openMilliseconds }
        let now = DispatchTime.now().uptimeNanoseconds
        let left = deadline > now ? (deadline - now) / 1_000_000 : 0
        return min(max(Int(left), 500), JetStreamStore.openMilliseconds)
    }

    // MARK: Problems

    var missingLog: ConfigurationError {
        ConfigurationError("the cluster \"\(settings.name)\" has no log: run belfry cluster create on one node")
    }

    func emptyLog(_ store: JetStreamStore) -> ConfigurationError {
        ConfigurationError(
            "the log \"\(store.settings.stream)\" has no first message: run belfry cluster create again")
    }
}

extension NATSError {
    /// Whether a server that is starting may cause it.
    fileprivate var mayPass: Bool {
        switch self {
        case .silence, .unreachable, .noJetStream: true
        // JetStream refuses with codes of unavailability.
        case .refused(let code, _): (10_007...10_009).contains(code) || code == 503
        default: false
        }
    }
}

extension Configuration.Cluster {
    func nats(clientName: String) throws(NATSError) -> NATSSettings {
        let files = (authoritiesFile, certificateFile, keyFile)
        let isEncrypted = authoritiesFile != nil || certificateFile != nil
        return try NATSSettings(
            servers: servers, name: clientName, credentials: credentialsFile,
            tls: isEncrypted ? .init(authorities: files.0, certificate: files.1, key: files.2) : nil)
    }

    /// The error for operators.
    func failure(_ error: NATSError) -> ConfigurationError {
        switch error {
        case .unreachable, .silence, .refused:
            ConfigurationError("\(error)", exitCode: EX_UNAVAILABLE)
        case .wrongCredentials:
            ConfigurationError("\(error): check cluster.credentials_file")
        case .wrongCertificate:
            ConfigurationError("\(error): check cluster.ca_file and cluster.certificate_file")
        case .differentStream(_, setting: "num_replicas"):
            ConfigurationError("\(error): cluster.replicas must be the same as when the log was created")
        case .differentStream(_, setting: "metadata.belfry_cluster"):
            ConfigurationError("\(error): it belongs to something else, so choose another cluster.name")
        case .differentStream(_, setting: "sealed"):
            ConfigurationError(
                "\(error): the nodes left it, or its successor is missing, so run belfry cluster recreate")
        case .differentStream:
            ConfigurationError("\(error): change it back with the nats tool")
        case .invalidServer, .invalidName, .unreadable, .tooOld, .noJetStream, .noStream:
            ConfigurationError("\(error)")
        }
    }
}
#endif
