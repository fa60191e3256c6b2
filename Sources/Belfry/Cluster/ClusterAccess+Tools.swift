#if Cluster
import Gateway
import Glibc
import NATS
import Replication
import Synchronization

/// The steps of the commands that manage a cluster.
extension ClusterAccess {
    private static let listenSeconds = 2
    private static let readAttempts = 5

    /// Hears the nodes of all incarnations, which beat several times a second.
    func listen() async throws(ConfigurationError) -> [NodeBeat] {
        let heard = Beats()
        let subscription = HeardBeats.listen(on: try bus(nil)) { heard.append($0) }
        try? await Task.sleep(for: .seconds(Self.listenSeconds))
        withExtendedLifetime(subscription) {}
        return heard.latest
    }

    /// The latest beat of each process.
    private final class Beats: Sendable {
        private let byNode = Mutex<[NodeID: NodeBeat]>([:])

        var latest: [NodeBeat] { byNode.withLock { $0.values.sorted { $0.node < $1.node } } }

        func append(_ beat: NodeBeat) { byNode.withLock { $0[beat.node] = beat } }
    }

    /// Creates a log, unless it exists, and appends its first message.
    func begin(_ incarnation: UInt64, after lastFrame: UInt64) async throws(ConfigurationError)
        -> ClusterTools.CreatedLog
    {
        let store = try await openLog(incarnation, creating: true)
        let stream = store.settings.stream
        let genesis = LogMessage.genesis(cluster: stream, by: node, after: lastFrame).encoded()
        let outcome: AppendOutcome = try await repeating { _, done in
            store.append(genesis, expecting: 0, id: "genesis-\(self.node.start)") { outcome in
                done(outcome == .unknown ? .failure(.silence) : .success(outcome))
            }
        }
        switch outcome {
        case .stored:
            return ClusterTools.CreatedLog(stream: stream, lastFrame: lastFrame, replicas: settings.replicas)
        case .conflict, .unknown:
            throw ConfigurationError("another command has created \"\(stream)\" at the same time")
        case .refused(let reason):
            throw ConfigurationError(
                "the log \"\(stream)\" refused its first message: \(reason)", exitCode: EX_UNAVAILABLE)
        }
    }

    /// - Returns: The log that the new one replaces, if it still exists, and the new one's incarnation.
    func incarnationsToReplace() async throws(ConfigurationError) -> (old: UInt64?, next: UInt64) {
        let all = try await incarnations()
        // Its number must differ from that of the lost log, which nobody knows.
        guard let newest = all.last else { return (nil, UInt64(max(1, WallClock.milliseconds() / 1_000))) }
        // An earlier attempt may have ended before the first message.
        let isBegun = try await report(of: try uncheckedLog(newest)).last > 0
        return isBegun ? (newest, newest + 1) : (all.dropLast().last, newest)
    }

    /// - Throws: If a log has frames that a journal lacks.
    func checkNothingNewer(_ incarnation: UInt64, than lastFrame: UInt64, isForced: Bool)
        async throws(ConfigurationError)
    {
        let store = try uncheckedLog(incarnation)
        let report = try await report(of: store)
        guard report.messages > 0, !isForced else { return }
        guard let last = await lastMessage(of: store, at: report.last) else {
            throw ConfigurationError(
                "cannot read the last message of \"\(store.settings.stream)\": with --discard-newer, its frames are "
                    + "given up")
        }
        guard last.lastFrame <= lastFrame else {
            throw ConfigurationError(
                "the log \"\(store.settings.stream)\" reaches frame \(last.lastFrame), but this journal ends with frame "
                    + "\(lastFrame): use the node with the longest journal, or give up the rest with --discard-newer")
        }
    }

    /// - Parameter lastFrame: The last frame of this journal, for the message.
    func requireNoNode(_ lastFrame: UInt64) async throws(ConfigurationError) {
        let running = try await listen()
        guard !running.isEmpty else { return }
        let nodes = running.map { "\($0.node.name) at frame \($0.appliedFrame)" }.joined(separator: ", ")
        throw ConfigurationError(
            "nodes are running: stop all nodes first (\(nodes)); this journal ends with frame \(lastFrame)")
    }

    /// Seals a log that a journal covers.
    func end(_ incarnation: UInt64, at lastFrame: UInt64, discardingNewer: Bool) async throws(ConfigurationError) {
        try await checkNothingNewer(incarnation, than: lastFrame, isForced: discardingNewer)
        try await seal(incarnation)
        // A node that was cut off may have appended until now.
        try await checkNothingNewer(incarnation, than: lastFrame, isForced: discardingNewer)
    }

    private func seal(_ incarnation: UInt64) async throws(ConfigurationError) {
        let store = try uncheckedLog(incarnation)
        guard try await !report(of: store).isSealed else { return }
        try await repeating { _, done in store.seal(done) }
    }

    /// - Returns: Nil if it cannot be read.
    func lastMessage(of store: JetStreamStore, at number: UInt64) async -> LogMessage? {
        guard number > 0 else { return nil }
        // A server that lags may not have it yet.
        for _ in 0..<Self.readAttempts {
            let entries = await withCheckedContinuation { continuation in
                store.read(from: number, bytes: 1) { continuation.resume(returning: $0) }
            }
            if case .success(let entries) = entries, let entry = entries.first, entry.number == number {
                return try? LogMessage(entry.message)
            }
            try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
        return nil
    }
}

extension ClusterStatus.Node {
    fileprivate init(_ beat: NodeBeat) {
        self.init(
            name: beat.node.name, role: "\(beat.role)", term: beat.term, lastMessage: beat.lastMessage,
            appliedFrame: beat.appliedFrame, syncedFrame: beat.syncedFrame, version: beat.facts.version,
            address: beat.facts.address)
    }
}

extension ClusterStatus {
    init(cluster: String, stream: String, _ report: StreamReport, _ last: LogMessage?, nodes: [NodeBeat]) {
        self.init(
            cluster: cluster, stream: stream, messages: report.messages, bytes: report.bytes,
            byteLimit: report.byteLimit, firstMessage: report.first, lastMessage: report.last,
            configuredReplicas: report.replicas, replicas: Self.replicas(report.group), isSealed: report.isSealed,
            last: last.map { Last(term: $0.term, writer: $0.writer.name, frame: $0.lastFrame) },
            nodes: nodes.map(Node.init))
    }

    private static func replicas(_ group: StreamReport.Group?) -> [Replica] {
        let leader = group?.leader.map { name in
            Replica(name: name, isLeader: true, isCurrent: true, isOffline: false, lag: 0)
        }
        let others = (group?.replicas ?? []).map { peer in
            Replica(
                name: peer.name, isLeader: false, isCurrent: peer.current, isOffline: peer.offline ?? false,
                lag: peer.lag ?? 0)
        }
        return (leader.map { [$0] } ?? []) + others.sorted { $0.name < $1.name }
    }
}
#endif
