import Gateway

/// Decides when this node becomes the cluster's writer and when it steps down.
///
/// The log itself elects: a candidate reads to the end and appends the start of the next term, and the store lets only one
/// message follow the last. So each term has one writer whatever this state machine does. It only decides when to try.
///
/// The owner performs the returned actions in order and reports what happens. Times are milliseconds of a clock that never
/// goes back.
package struct Election: Sendable {
    package enum Role: Equatable, Sendable {
        case follower
        /// Reads the log to its end.
        case candidate
        /// Has read the log to its end and appends the start of its term.
        case starting
        case writer
        /// Another node's term has begun.
        case deposed
    }

    package enum Action: Equatable, Sendable {
        /// Tell all nodes that this one is the writer.
        case sendBeat
        /// Ask the writer of this term whether it is alive, and report the answer.
        case probeWriter(LogTerm)
        /// Apply the log to its end, and report when that is done.
        case applyToEnd
        /// Append the start of this term after the end of the log. Report the term once it is in the log, or that another
        /// message took its place.
        case startTerm(UInt64)
        /// The node's term is in the log: answer probes, and decide on commands after a pause in milliseconds.
        case becomeWriter(LogTerm, pause: Int64)
        /// Stop deciding on commands and answering probes.
        case stepDown
        /// Ask a node to become the writer after this term.
        case sendHandover(to: NodeID, term: UInt64)
    }

    /// The answer to a probe.
    package enum ProbeResult: Equatable, Sendable {
        /// The writer of this term answered.
        case reply(term: UInt64)
        /// Nobody serves the writer's subject.
        case nobody
        case silence
    }

    private let node: NodeID
    package private(set) var role = Role.follower
    /// The term that the log is in; `nil` before the first.
    package private(set) var term: LogTerm?
    /// When the writer last showed that it is alive.
    private var heard: Int64
    private var nextBeat: Int64 = 0
    private var isProbing = false
    /// The term whose writer asked this node to take over. Beats of that term which arrive late are ignored.
    private var released: UInt64?
    /// Whether the clock is off, so that this node must not give messages their times.
    package private(set) var isClockOff = false
    /// Whether the node's journal is short of space, so that as the writer it would refuse everybody's changes.
    package var isShort = false
    /// Whether the node, still the writer, has asked another to take over.
    package private(set) var isHandingOver = false

    /// The interval between two beats of the writer, in milliseconds.
    package static let beatInterval: Int64 = 250
    /// Followers probe the writer after this many milliseconds of silence.
    package static let probeSilence: Int64 = 750
    /// Followers become candidates after this many milliseconds of silence.
    package static let candidateSilence: Int64 = 2_500
    /// A follower that is short of space becomes a candidate only after this many milliseconds of silence, because then
    /// probably all are.
    package static let shortSilence: Int64 = 10_000
    /// A writer takes itself for the writer for this many milliseconds after it asked the log a question that the log has
    /// answered. A node that becomes the writer without the word of the one before waits as long, because that one may be
    /// alive and unheard: its clients must not read what the new one has changed.
    package static let lease: Int64 = 250
    /// A clock is off if it differs by more than this many milliseconds from most others.
    package static let clockTolerance: Int64 = 1_000

    package init(node: NodeID, at now: Int64) {
        self.node = node
        heard = now
    }

    // MARK: Time

    /// Call this at least every 50 ms.
    package mutating func tick(at now: Int64) -> [Action] {
        switch role {
        case .follower: return watch(at: now)
        case .writer where now >= nextBeat:
            nextBeat = now + Self.beatInterval
            return [.sendBeat]
        case .candidate, .starting, .writer, .deposed: return []
        }
    }

    private mutating func watch(at now: Int64) -> [Action] {
        let silence = now - heard
        guard silence >= Self.probeSilence else { return [] }
        guard let term, silence < Self.candidateSilence else { return stand(after: silence) }
        guard !isProbing else { return [] }
        isProbing = true
        return [.probeWriter(term)]
    }

    private mutating func stand(after silence: Int64) -> [Action] {
        guard !isClockOff, !isShort || silence >= Self.shortSilence else { return [] }
        isProbing = false
        role = .candidate
        return [.applyToEnd]
    }

    /// Compares this node's clock with those of the other nodes, including nodes that were alive recently.
    ///
    /// The clock is off if it differs from most of them. So the one node whose clock is wrong is no candidate, and the
    /// others still are.
    ///
    /// - Parameter differences: In milliseconds, one for each other node.
    package mutating func compareClocks(_ differences: [Int64]) {
        let count = differences.count { $0.magnitude > Self.clockTolerance.magnitude }
        isClockOff = count * 2 > differences.count
    }

    // MARK: Messages of other nodes

    /// Receives the beat of another node that is the writer of a term.
    package mutating func receivedBeat(ofTerm number: UInt64, at now: Int64) -> [Action] {
        guard number >= currentTerm, number != released else { return [] }
        // The log has a term that this node has not seen yet.
        let isAhead = number > currentTerm
        switch role {
        case .follower, .candidate:
            heard = now
            role = .follower
            isProbing = false
        // The append is in flight and may succeed. Only the log can tell.
        case .starting: return []
        case .writer: break
        case .deposed: return []
        }
        return isAhead ? [.applyToEnd] : []
    }

    /// The bus works again. Its silence said nothing about the writer.
    package mutating func busReturned(at now: Int64) {
        heard = now
        isProbing = false
        if role == .candidate { role = .follower }
    }

    /// Receives the answer to a probe.
    package mutating func probed(_ probed: LogTerm, _ result: ProbeResult, at now: Int64) -> [Action] {
        guard role == .follower, isProbing, probed == term else { return [] }
        isProbing = false
        switch result {
        case .reply(let number) where number >= currentTerm: heard = now
        case .nobody: return stand(after: now - heard)
        // A reply of an earlier writer says nothing about this one.
        case .reply, .silence: break
        }
        return []
    }

    /// Receives the request of a term's writer that this node take over.
    package mutating func receivedHandover(afterTerm number: UInt64) -> [Action] {
        guard role == .follower, number == currentTerm, !isShort else { return [] }
        released = number
        return stand(after: 0)
    }

    // MARK: The log

    /// Reports a term that began in the log.
    package mutating func saw(_ seen: LogTerm, at now: Int64) -> [Action] {
        guard seen.number > currentTerm else { return [] }
        // Nobody wrote before the first term.
        let pause = currentTerm == 0 || released == currentTerm ? 0 : Self.lease
        term = seen
        heard = now
        isProbing = false
        isHandingOver = false
        switch role {
        case .starting where seen.writer == node:
            role = .writer
            nextBeat = now + Self.beatInterval
            return [.becomeWriter(seen, pause: pause), .sendBeat]
        case .follower, .candidate, .starting:
            role = .follower
            return []
        case .writer: return depose()
        case .deposed: return []
        }
    }

    /// Reports that the log is applied to its end.
    package mutating func reachedEnd() -> [Action] {
        guard role == .candidate else { return [] }
        role = .starting
        return [.startTerm(currentTerm + 1)]
    }

    /// Reports that another node's message took the place of this node's in the log.
    package mutating func lostAppend() -> [Action] {
        switch role {
        case .follower, .candidate, .deposed: return []
        // Perhaps the last message of the writer before. If it is a new term, reading will show it.
        case .starting:
            role = .follower
            return stand(after: Self.shortSilence)
        case .writer: return depose()
        }
    }

    private mutating func depose() -> [Action] {
        role = .deposed
        return [.stepDown]
    }

    /// Hands over to another node, before an orderly stop. Call this once everything decided is in the log, and decide
    /// nothing afterwards.
    package mutating func handOver(to successor: NodeID) -> [Action] {
        guard role == .writer else { return [] }
        isHandingOver = true
        return [.sendHandover(to: successor, term: currentTerm)]
    }

    /// Goes on as a follower, because everything that this node decided is in the log.
    package mutating func rejoin(at now: Int64) {
        guard role == .deposed else { return }
        role = .follower
        heard = now
    }

    private var currentTerm: UInt64 { term?.number ?? 0 }
}
