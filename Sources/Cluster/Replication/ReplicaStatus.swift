import Gateway
import Records

/// What a replica knew at a moment.
package struct ReplicaStatus: Sendable {
    package let role: Election.Role
    /// The term that the log is in; 0 before the first.
    package let term: UInt64
    /// The name of the term's writer; `nil` before the first term.
    package let writer: String?
    /// The last message that the log is known to have.
    package let lastMessage: UInt64
    /// The last frame that was read from the log.
    package let lastFrame: UInt64
    /// The last frame that the engine has applied.
    package let appliedFrame: UInt64
    /// The newest record version in the log; on the writer, the one that it writes.
    package let recordVersion: UInt32
    /// What the log keeps, as this node saw it when it last looked as the writer.
    package let window: LogWindow
    /// How long the oldest message that is known and not applied has been known, in milliseconds; 0 if all are applied.
    package let lag: Int64
    /// The time since the store last answered, and since the bus last delivered anything, in milliseconds.
    package let storeSilence: Int64
    package let busSilence: Int64
    /// Whether the process follows the log under a name that no other live process has.
    package let isNode: Bool
    /// The other nodes, also departed ones.
    package let nodes: [Roster.Entry]
    /// Those that are live.
    package let live: [Roster.Entry]
    package let problems: [Roster.Problem]
    /// How many beats were ignored because there were too many nodes.
    package let ignoredBeats: Int

    /// The greatest lag, in milliseconds, of a node that is ready.
    package static let readyLag: Int64 = 1_000
    /// A node is not ready once the store or the bus has been silent for this many milliseconds.
    package static let readySilence: Int64 = 3_000
    /// A node is cut off after this many milliseconds.
    package static let cutOffSilence: Int64 = 15_000

    /// Whether clients should use this node.
    package var isReady: Bool {
        isNode && lag <= Self.readyLag && storeSilence < Self.readySilence && busSilence < Self.readySilence
    }

    /// Whether the node must close its sessions, because the others no longer wait for it. The store alone may be silent
    /// longer: without a quorum, nothing happens that this node could miss.
    package var isCutOff: Bool { busSilence >= Self.cutOffSilence || lag >= Self.cutOffSilence }
}

/// What a log keeps. Only the writer looks.
package struct LogWindow: Equatable, Sendable {
    /// The oldest message; 0 if this process has not been the writer.
    package var first: UInt64 = 0
    package var bytes: UInt64 = 0
    /// How many messages this process has dropped.
    package var dropped: UInt64 = 0

    init() {}

    init<Note>(_ trimming: Replica<Note>.Trimming) {
        first = trimming.usage?.bounds.first ?? 0
        bytes = trimming.usage?.bytes ?? 0
        dropped = trimming.dropped
    }
}

/// What a replica knew at its last step, with times instead of durations: a replica that hangs must not look well.
struct PublishedStatus: Sendable {
    var role = Election.Role.follower
    var term: LogTerm?
    /// Whether the process is the node of its name.
    var isNamed = false
    var lastMessage: UInt64 = 0
    var lastFrame: UInt64 = 0
    var appliedFrame: UInt64 = 0
    var recordVersion = RecordCoder.oldestWritten
    var trimming = LogWindow()
    let roster: Roster
    /// The nodes that announced something else than this one.
    var differing: [NodeID] = []
    /// When the oldest message that is known and not applied became known.
    var behindSince: Int64?
    let storeHeard: Int64
    let confirmed: Int64
    let busHeard: Int64

    func status(at now: Int64) -> ReplicaStatus {
        ReplicaStatus(
            role: role, term: term?.number ?? 0, writer: term.flatMap { $0.number > 0 ? $0.writer.name : nil },
            lastMessage: lastMessage, lastFrame: lastFrame, appliedFrame: appliedFrame,
            recordVersion: recordVersion, window: trimming, lag: behindSince.map { now - $0 } ?? 0,
            storeSilence: now - storeHeard, busSilence: now - busHeard,
            isNode: isNamed && term != nil, nodes: roster.entries,
            live: roster.live(at: now),
            problems: roster.problems(at: now) + differing.map { .otherEvents($0) }, ignoredBeats: roster.ignored)
    }
}
