#if Cluster
import Cluster
import CoreMetrics
import Dispatch
import Gateway
import Glibc
import Journal
import Logging
import MetricTable
import Metrics
import Replication
import Synchronization

/// Copies the chat from another node before a server starts whose journal ends before the log begins: on a new node, and on
/// one that was away for longer than the log reaches back.
struct ClusterCopy {
    /// How often a copy may break off.
    private static let attempts = 5
    private static let pauseMilliseconds = 500
    /// Nodes beat several times a second.
    private static let memoryNanoseconds: UInt64 = 3_000_000_000

    private let link: ClusterLink
    private let settings: Configuration.Cluster
    private let place: JournalReplacement
    private let logger: Logger
    private let copies: Counter

    /// - Parameter folder: The data folder, which no server uses.
    init(
        _ link: ClusterLink, _ settings: Configuration.Cluster, _ folder: DataFolder, _ metrics: any MetricsFactory,
        _ logger: Logger
    ) {
        self.link = link
        self.settings = settings
        place = JournalReplacement(folder: folder.path)
        self.logger = logger
        copies = Counter(.clusterCopies, metrics)
    }

    /// The messages that this node would need and that the log has dropped.
    private struct Gap {
        /// The last frame in the journal.
        let last: UInt64
        /// The first frame in the log.
        let first: UInt64
    }

    /// Copies the chat if that is necessary.
    ///
    /// - Throws: With exit code 75 if no node serves a copy in time, 69 if NATS is not available, and 74 if the disk fails.
    func run() async throws(ConfigurationError) {
        guard var gap = try await findGap() else { return try place.cancel() }
        logger.warning(
            "the log begins after the end of this node's journal: copying the chat from another node",
            metadata: ["journal": "\(gap.last)", "log": "\(gap.first)"])
        let peers = Peers(link)
        var (attempts, deadline) = (0, deadline)
        var reason = "no node was heard"
        while true {
            try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
            var hasBegun = false
            for peer in peers.able(to: gap.first) {
                switch try await copy(from: peer) {
                case .success(let last):
                    try place.complete(keepsOld: gap.last > 0)
                    copies.increment()
                    logger.notice(
                        "copied the chat from another node",
                        metadata: ["node": "\(peer.name)", "frames": "\(last)", "replaced": "\(gap.last)"])
                    // The log may have been trimmed meanwhile.
                    guard let next = try await findGap() else { return }
                    gap = next
                    hasBegun = true
                case .failure(let failure, let begun):
                    reason = "\(peer.name): \(failure)"
                    hasBegun = begun
                    logger.warning(
                        "cannot copy the chat from a node", metadata: ["node": "\(peer.name)", "error": "\(failure)"])
                }
                if hasBegun { break }
            }
            if hasBegun { (attempts, deadline) = (attempts + 1, self.deadline) }
            guard attempts < Self.attempts, !Task.isCancelled, DispatchTime.now().uptimeNanoseconds < deadline else {
                throw ConfigurationError(
                    "this node lacks frames \(gap.last + 1) to \(gap.first - 1), which the log no longer has, and cannot "
                        + "copy them from another node: \(reason)", exitCode: EX_TEMPFAIL)
            }
        }
    }

    private var deadline: UInt64 {
        settings.waitSeconds == 0
            ? .max : DispatchTime.now().uptimeNanoseconds + UInt64(settings.waitSeconds) * 1_000_000_000
    }

    private enum Outcome {
        /// The number of the last frame.
        case success(UInt64)
        /// - Parameter begun: Whether the node served a part of it.
        case failure(CopyFailure, begun: Bool)
    }

    /// - Throws: When this node's disk fails.
    private func copy(from peer: NodeID) async throws(ConfigurationError) -> Outcome {
        let target = try place.begin()
        let hasBegun = Atomic(false)
        let logger = logger
        do throws(CopyFailure) {
            let last = try await JournalCopier(link.node, link.bus).copy(
                from: peer, to: target, salt: .random(in: .min ... .max)
            ) { bytes in
                hasBegun.store(true, ordering: .relaxed)
                logger.notice("a node serves a copy", metadata: ["node": "\(peer.name)", "bytes": "\(bytes)"])
            }
            return .success(last)
        } catch {
            if case .journal(.disk(let disk)) = error { throw Storage.refusal(.disk(disk)) }
            try place.cancel()
            return .failure(error, begun: hasBegun.load(ordering: .relaxed))
        }
    }

    // MARK: The log

    /// - Returns: Nil if the log continues this node's journal.
    private func findGap() async throws(ConfigurationError) -> Gap? {
        let last = try Self.lastFrame(in: place.journal)
        let deadline = deadline
        while true {
            if let first = await firstMessage() {
                // What cannot be read is reported once the node follows the log.
                guard let message = try? LogMessage(first.message), !message.follows(last) else { return nil }
                return Gap(last: last, first: max(message.firstFrame, last + 2))
            }
            guard !Task.isCancelled, DispatchTime.now().uptimeNanoseconds < deadline else {
                throw settings.failure(.silence)
            }
            try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
    }

    private static func lastFrame(in journal: String) throws(ConfigurationError) -> UInt64 {
        guard access(journal, F_OK) == 0 else { return 0 }
        do throws(JournalError) { return try JournalPieces.last(on: PosixDisk(existing: journal)) } catch {
            throw Storage.refusal(error)
        }
    }

    private func firstMessage() async -> LogEntry? {
        let store = link.store
        return await withCheckedContinuation { continuation in
            store.bounds { bounds in
                guard case .success(let bounds) = bounds else { return continuation.resume(returning: nil) }
                store.read(from: bounds.first, bytes: 1) { result in
                    continuation.resume(returning: (try? result.get())?.first)
                }
            }
        }
    }

    /// The nodes that beat at the moment.
    private final class Peers: Sendable {
        private let own: String
        private let heard = Mutex<[NodeID: (beat: NodeBeat, at: UInt64)]>([:])
        private let subscription = Mutex<(any BusSubscription)?>(nil)

        init(_ link: ClusterLink) {
            own = link.node.name
            let listener = HeardBeats.listen(on: link.bus) { [weak self] beat in
                let now = DispatchTime.now().uptimeNanoseconds
                self?.heard.withLock { heard in
                    if heard[beat.node] != nil || heard.count < Roster.limit { heard[beat.node] = (beat, now) }
                }
            }
            subscription.withLock { $0 = listener }
        }

        /// Nodes whose copies would reach the log: followers first, because the writer has more to do.
        func able(to first: UInt64) -> [NodeID] {
            let now = DispatchTime.now().uptimeNanoseconds
            let beats = heard.withLock { heard in
                heard.values.filter { now - min(now, $0.at) < ClusterCopy.memoryNanoseconds }.map(\.beat)
            }
            func rank(_ beat: NodeBeat) -> (Int, UInt64) { (beat.role == .writer ? 0 : 1, beat.appliedFrame) }
            return beats.filter { $0.node.name != own && $0.appliedFrame + 1 >= first }.sorted { a, b in
                let (first, second) = (rank(a), rank(b))
                return first == second ? a.node < b.node : first > second
            }.map(\.node)
        }
    }
}

/// Reports copies that other nodes make of this one's journal in logs and metrics.
struct CopyReporter: Sendable {
    private let logger: Logger
    private let served: Counter
    private let bytes: Counter

    init(_ logger: Logger, _ metrics: any MetricsFactory) {
        self.logger = logger
        served = Counter(.clusterCopiesServed, metrics)
        bytes = Counter(.clusterCopyBytes, metrics)
    }

    func report(_ event: CopyServer.Event) {
        switch event {
        case .began(let node, let files, let size):
            logger.notice(
                "another node copies this node's journal",
                metadata: ["node": "\(node.name)", "files": "\(files)", "bytes": "\(size)"])
        case .sent(let count): bytes.increment(by: count)
        case .ended(let node, isComplete: true):
            served.increment()
            logger.notice("another node has copied this node's journal", metadata: ["node": "\(node.name)"])
        case .ended(let node, isComplete: false):
            logger.warning("another node gave up its copy of this node's journal", metadata: ["node": "\(node.name)"])
        case .failed(let error):
            logger.error("cannot read the journal for another node", metadata: ["error": "\(error)"])
        }
    }
}
#endif
