import Gateway

/// The nodes of a cluster, as their beats show them to this one.
///
/// Times are milliseconds of a clock that never goes back, unless they are called wall clock.
package struct Roster: Sendable {
    package struct Entry: Equatable, Sendable {
        package let beat: NodeBeat
        /// When the first and the last beat arrived.
        package let since: Int64
        package let heard: Int64
        /// How far the node's wall clock is ahead of this node's, in milliseconds. The time that the beat took is not known
        /// and makes this smaller.
        package let clockDifference: Int64

        /// Whether the node was alive recently.
        package func isLive(at now: Int64) -> Bool { now - heard < Roster.departure }
    }

    /// What an operator should look at.
    package enum Problem: Equatable, Sendable {
        /// Several live processes have this name.
        case sharedName(String)
        /// The node reads a newer record version than this one.
        case newerRecords(NodeID, version: UInt32)
        /// The node has other settings.
        case otherSettings(NodeID)
        /// The node has other keys.
        case otherKeys(NodeID)
        /// The node has another folder of uploads, so that it lacks the files of this one.
        case otherUploads(NodeID)
        /// The node has other Unicode tables, so that its state may become different.
        case otherUnicode(NodeID)
        /// The node's clock differs by this many milliseconds from this node's.
        case clockOff(NodeID, milliseconds: Int64)
        /// The node announced other events than this one for the same frames.
        case otherEvents(NodeID)
    }

    /// A node that was silent for this many milliseconds has departed.
    package static let departure: Int64 = 3_000
    /// The greatest number of other processes that are remembered.
    package static let limit = 64
    /// Clocks are compared with those of nodes that were alive within this many milliseconds: of two nodes that are left
    /// of three, neither could tell whose clock is off.
    static let memory: Int64 = 3_600_000

    private let node: NodeID
    private let facts: NodeBeat.Facts
    private var others: [NodeID: Entry] = [:]
    /// How many beats were ignored because there were too many nodes.
    package private(set) var ignored = 0

    package init(node: NodeID, facts: NodeBeat.Facts) {
        self.node = node
        self.facts = facts
    }

    /// Receives a beat of another process.
    ///
    /// - Parameter wallClock: This node's, in milliseconds since 1970.
    package mutating func receive(_ beat: NodeBeat, at now: Int64, wallClock: Int64) {
        guard beat.node != node else { return }
        guard others[beat.node] != nil || makeRoom(for: beat.node, at: now) else {
            ignored += 1
            return
        }
        let (difference, isBeyond) = beat.clock.subtractingReportingOverflow(wallClock)
        others[beat.node] = Entry(
            beat: beat, since: others[beat.node]?.since ?? now, heard: now,
            clockDifference: isBeyond ? (beat.clock < 0 ? .min : .max) : difference)
    }

    /// Forgets departed processes of the same name, and the one that departed first if there are too many.
    private mutating func makeRoom(for newcomer: NodeID, at now: Int64) -> Bool {
        for (id, entry) in others where id.name == newcomer.name && !entry.isLive(at: now) { others[id] = nil }
        guard others.count >= Self.limit else { return true }
        guard let oldest = others.min(by: { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }),
            !oldest.value.isLive(at: now)
        else { return false }
        others[oldest.key] = nil
        return true
    }

    // MARK: Questions

    /// All known processes except this one, also departed ones, by name.
    package var entries: [Entry] { others.values.sorted { $0.beat.node < $1.beat.node } }

    package func knows(_ node: NodeID) -> Bool { others[node] != nil }

    package func isLive(_ node: NodeID, at now: Int64) -> Bool { others[node]?.isLive(at: now) == true }

    /// All other processes that are alive, by name.
    package func live(at now: Int64) -> [Entry] { entries.filter { $0.isLive(at: now) } }

    /// How far the other nodes' clocks are ahead of this one's, one difference for each name.
    package func clockDifferences(at now: Int64) -> [Int64] {
        var latest: [String: Entry] = [:]
        for entry in others.values where entry.beat.node.name != node.name && now - entry.heard < Self.memory {
            let name = entry.beat.node.name
            if let other = latest[name], (other.heard, other.beat.node) > (entry.heard, entry.beat.node) { continue }
            latest[name] = entry
        }
        return latest.sorted { $0.key < $1.key }.map(\.value.clockDifference)
    }

    /// The followers that could become the writer next, the most advanced first. Nodes whose clocks seem to be off come
    /// last.
    package func successors(at now: Int64) -> [NodeID] {
        func rank(_ entry: Entry) -> (Int, UInt64, UInt64) {
            let isOff = entry.clockDifference.magnitude > Election.clockTolerance.magnitude
            return (isOff ? 0 : 1, entry.beat.appliedFrame, entry.beat.lastMessage)
        }
        let followers = live(at: now).filter { $0.beat.role == .follower && $0.beat.node.name != node.name }
        return followers.sorted { a, b in
            let (first, second) = (rank(a), rank(b))
            return first == second ? a.beat.node < b.beat.node : first > second
        }.map(\.beat.node)
    }

    /// The newest record version that this node and all other live ones read.
    package func commonRecordVersion(at now: Int64) -> UInt32 {
        live(at: now).reduce(facts.recordVersion) { min($0, $1.beat.facts.recordVersion) }
    }

    package func problems(at now: Int64) -> [Problem] {
        let live = live(at: now)
        var problems: [Problem] = []
        for entry in live {
            let (id, theirs) = (entry.beat.node, entry.beat.facts)
            if sharesName(entry, with: live) { problems.append(.sharedName(id.name)) }
            if theirs.recordVersion > facts.recordVersion {
                problems.append(.newerRecords(id, version: theirs.recordVersion))
            }
            if theirs.settingsDigest != facts.settingsDigest { problems.append(.otherSettings(id)) }
            if theirs.keysDigest != facts.keysDigest { problems.append(.otherKeys(id)) }
            if !theirs.uploadsMark.isEmpty, !facts.uploadsMark.isEmpty, theirs.uploadsMark != facts.uploadsMark {
                problems.append(.otherUploads(id))
            }
            if theirs.unicodeDigest != facts.unicodeDigest { problems.append(.otherUnicode(id)) }
            if entry.clockDifference.magnitude > Election.clockTolerance.magnitude {
                problems.append(.clockOff(id, milliseconds: entry.clockDifference))
            }
        }
        return problems
    }

    /// Whether another live process has the name of this one, and not only its predecessor, whose last beat may arrive
    /// late. Reported for the later of them.
    private func sharesName(_ entry: Entry, with live: [Entry]) -> Bool {
        let id = entry.beat.node
        if id.name == node.name { return entry.heard - entry.since >= Election.beatInterval }
        return live.contains { other in
            other.beat.node.name == id.name && other.beat.node < id
                && other.heard - entry.since >= Election.beatInterval
                && entry.heard - other.since >= Election.beatInterval
        }
    }
}

extension Roster.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sharedName(let name): "sharedName: several live processes are named \(name)"
        case .newerRecords(let node, let version):
            "newerRecords: \(node) reads records of version \(version), and this node older ones only"
        case .otherSettings(let node): "otherSettings: \(node) has other settings of the chat"
        case .otherKeys(let node): "otherKeys: \(node) has another token secret or API key"
        case .otherUploads(let node): "otherUploads: \(node) has another folder of uploads"
        case .otherUnicode(let node): "otherUnicode: \(node) has other Unicode tables"
        case .clockOff(let node, let milliseconds): "clockOff: the clock of \(node) is off by \(milliseconds) ms"
        case .otherEvents(let node): "otherEvents: \(node) tells its clients other events than this node"
        }
    }
}
