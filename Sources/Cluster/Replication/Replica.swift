import ChatDomain
import Gateway
import Journal
import Records
import Synchronization

/// A node's part in the cluster's log: reads it for the engine, takes part in elections, and starts this node's terms.
///
/// Everything happens on `queue`, which it shares with its `ReplicatedLog`.
package final class Replica<Note: Sendable>: @unchecked Sendable {
    /// What the replica does with the rest of the server. Called on `queue`.
    package struct Hooks: Sendable {
        /// Applies frames and calls back, on any queue, once that is done. False: a frame does not fit the state.
        let apply: @Sendable ([LoggedFrame], @escaping @Sendable (Bool) -> Void) -> Void
        /// A term began, of this node or another, and everything before it is applied.
        let began: @Sendable (LogTerm) -> Void
        /// The node must leave the cluster. Called once.
        let failed: @Sendable (ReplicaFailure) -> Void
        /// Frames of this node have waited for so long that their commands are answered with 1041. Called once for each;
        /// the log may still store it.
        let late: @Sendable ([Note]) -> Void
        /// This node is the writer and its clock is off, so that another node should decide. Called again and again.
        let clockOff: @Sendable () -> Void

        package init(
            apply: @escaping @Sendable ([LoggedFrame], @escaping @Sendable (Bool) -> Void) -> Void,
            began: @escaping @Sendable (LogTerm) -> Void = { _ in },
            failed: @escaping @Sendable (ReplicaFailure) -> Void,
            late: @escaping @Sendable ([Note]) -> Void = { _ in }, clockOff: @escaping @Sendable () -> Void = {}
        ) {
            self.apply = apply
            self.began = began
            self.failed = failed
            self.late = late
            self.clockOff = clockOff
        }
    }

    /// What the engine is told in the order of the log.
    enum ReadyItem {
        case frame(LoggedFrame, payload: [UInt8])
        case term(LogTerm)
    }

    private static var tickMilliseconds: Int { 50 }
    /// How long a probe of the writer waits, in milliseconds.
    static var probeMilliseconds: Int { 500 }
    /// How long the store may be silent before it is asked, in milliseconds.
    private static var storeInterval: Int64 { 1_000 }
    /// The same for the writer, well within its lease.
    private static var termInterval: Int64 { 100 }
    /// The size in bytes of what one read of the store returns, and of what waits for the engine.
    static var bytesAtOnce: Int { 1 << 20 }

    let node: NodeID
    let cluster: String
    let queue: any SerialQueue
    let store: any LogStore
    let bus: any Bus
    let hooks: Hooks
    let facts: NodeBeat.Facts
    let announced: (any AnnouncedFrames)?
    let clock: @Sendable () -> Int64
    let wallClock: @Sendable () -> Int64
    var log: ReplicatedLog<Note>?
    var reader: LogReader?
    var search: LogSearch?
    var election: Election
    var claim: NameClaim
    var roster: Roster
    var lag = LagMeter()
    /// Since when the journal has been short of space.
    var shortSince: Int64?
    /// Read, but not applied yet.
    var ready: [ReadyItem] = []
    var readyBytes = 0
    var isReading = false
    var isApplying = false
    var appliedFrame: UInt64 = 0
    /// The last frame in the journal when this node began to follow the log; `nil` without one.
    var lastRecords: [Record]?
    /// The number of the message up to which a candidate must have applied the log; `nil` while it is not known.
    var goal: UInt64?
    var isSeekingEnd = false
    /// Whether this node decides on commands, because its term has begun.
    var isLeading: Bool { log?.isWriter == true }
    /// Whether this node has asked another one to take over its term, which it then may do at any time.
    var hasReleased = false
    var hasEnded = false
    var handover: Handover?
    /// Stops that wait for `settle`.
    var settling: [@Sendable () -> Void] = []
    var nextYield: Int64 = 0
    /// `nil` for a log that is never trimmed.
    let policy: TrimPolicy?
    var trimming = Trimming()
    /// The last frame that a node which copies from this one has; `nil` without one.
    var heldFrame: UInt64?
    var nextBeat: Int64 = 0
    var lastBeat: [UInt8] = []
    var divergence = DivergenceCheck()
    /// What was announced at the last beats, for about a second.
    var spanStarts: [(time: Int64, frame: UInt64)] = []
    /// Bounded by the commands in flight.
    var waiting: [Waiting] = []
    var storeHeard: Int64
    /// When the last question was sent that the store has answered with messages that this node has read.
    var storeConfirmed: Int64
    /// An answer with messages that this node has not read yet.
    var confirming: (goal: UInt64, asked: Int64)?
    /// Bounded by the reads that wait.
    var questions: [Int: Question] = [:]
    var questionCount = 0
    var busHeard: Int64
    /// Since when the bus has delivered something all the time, so that the roster has every live node after `departure`.
    var busSteadySince: Int64
    private var storeAsked: Int64
    var subscriptions: [any BusSubscription] = []
    var nameSubscription: (any BusSubscription)?
    var writerSubscription: (any BusSubscription)?
    let published: Mutex<PublishedStatus>

    /// - Parameters:
    ///   - queue: A serial queue.
    ///   - facts: What the node tells the others about itself.
    ///   - announced: What the node has announced, to compare it with others.
    ///   - policy: When to drop messages of the log, as the writer; `nil` for never.
    ///   - clock: Milliseconds; never goes back.
    ///   - wallClock: Milliseconds since 1970.
    package init(
        node: NodeID, cluster: String, queue: any SerialQueue, store: any LogStore, bus: any Bus, hooks: Hooks,
        facts: NodeBeat.Facts = NodeBeat.Facts(recordVersion: RecordCoder.version),
        announced: (any AnnouncedFrames)? = nil, trimming policy: TrimPolicy? = nil,
        clock: @escaping @Sendable () -> Int64,
        wallClock: @escaping @Sendable () -> Int64 = { SystemClock.now }
    ) {
        self.node = node
        self.cluster = cluster
        self.queue = queue
        self.store = store
        self.bus = bus
        self.hooks = hooks
        self.facts = facts
        self.announced = announced
        self.policy = policy
        self.clock = clock
        self.wallClock = wallClock
        let now = clock()
        election = Election(node: node, at: now)
        claim = NameClaim(node, at: now)
        roster = Roster(node: node, facts: facts)
        (storeHeard, storeConfirmed, busHeard, busSteadySince, storeAsked) = (now, now, now, now, now)
        published = Mutex(
            PublishedStatus(roster: Roster(node: node, facts: facts), storeHeard: now, confirmed: now, busHeard: now))
    }

    /// Makes the log whose owner this is.
    ///
    /// - Parameter messageLimit: The greatest size of a message in bytes; smaller in tests.
    package func makeLog(
        journal: DiskLog<Note>, messageLimit: Int = LogMessage.sizeLimit,
        tag: @escaping @Sendable (Note) -> LogFrame.Tag
    ) -> ReplicatedLog<Note> {
        ReplicatedLog(
            journal: journal, store: store, queue: queue,
            events: .init(
                stored: { [weak self] entry in self?.receive([entry]) },
                lost: { [weak self] in self?.lostAppend() }, late: hooks.late),
            tag: tag, messageLimit: messageLimit, clock: clock)
    }

    /// Begins to follow the shared log.
    ///
    /// - Parameter lastFrame: The last frame that the engine has applied.
    package func start(_ log: ReplicatedLog<Note>, after lastFrame: UInt64) {
        queue.async {
            self.log = log
            self.appliedFrame = lastFrame
            try? log.journal.read(from: max(1, lastFrame)) { self.lastRecords = $0 == lastFrame ? $1 : nil }
            self.store.follow { entry in self.queue.async { self.receive([entry]) } }
            self.listen()
            self.find(after: lastFrame)
            self.tickRegularly()
        }
    }

    /// Leaves the cluster without a word, as a crash does.
    package func stop() {
        queue.async { self.end() }
    }

    private func tickRegularly() {
        guard !hasEnded else { return }
        tick()
        later { self.tickRegularly() }
    }

    private func tick() {
        let now = clock()
        claimName(at: now)
        askStore(at: now)
        if reader != nil {
            raiseRecordVersion(at: now)
            log?.tick()
            measureSpace(at: now)
            // Without the name, this process takes no part in elections.
            if claim.state == .held { perform(election.tick(at: now)) }
            if isSeekingEnd, goal == nil { seekEnd() }
            proceed()
            trim(at: now)
        }
        if claim.state == .held, now >= nextBeat { sendBeat() }
        checkDivergence(at: now)
        checkWaiting()
        yieldIfClockIsOff(at: now)
        endSettling()
        publishStatus()
    }

    func later(_ body: @escaping @Sendable () -> Void) {
        queue.after(milliseconds: Self.tickMilliseconds, body)
    }

    func fail(_ failure: ReplicaFailure) {
        guard !hasEnded else { return }
        end()
        hooks.failed(failure)
    }

    func end() {
        hasEnded = true
        log?.stepDown()
        (writerSubscription, nameSubscription, subscriptions) = (nil, nil, [])
        publishStatus()
        questions = [:]
        endHandover(isOver: true)
        endSettling()
        endWaiting()
    }

    /// Asks a silent store for the end of the log, to find out whether it answers, and because the live feed and the bus
    /// may be silent too.
    private func askStore(at now: Int64) {
        // The writer asks more often, to be sure that it still is.
        let (last, interval) =
            election.role == .writer ? (confirmed, Self.termInterval) : (storeHeard, Self.storeInterval)
        guard now - max(last, storeAsked) >= interval else { return }
        storeAsked = now
        store.bounds { result in
            self.queue.async {
                guard case .success(let bounds) = result else { return }
                self.heardBounds(bounds, asked: now)
                self.proceed()
            }
        }
    }

    // MARK: Status

    /// What the replica knows now. Callable from any queue.
    package var status: ReplicaStatus { published.withLock(\.self).status(at: clock()) }

    /// The node's current role. Callable from any queue.
    package var role: Election.Role { published.withLock(\.role) }

    func publishStatus() {
        let status = PublishedStatus(
            role: election.role, term: reader?.term, isNamed: claim.state == .held && !hasEnded,
            lastMessage: lag.known, lastFrame: reader?.lastFrame ?? appliedFrame, appliedFrame: appliedFrame,
            recordVersion: recordVersion, trimming: .init(trimming), roster: roster, differing: divergence.differing,
            behindSince: lag.since, storeHeard: storeHeard, confirmed: confirmed, busHeard: busHeard)
        published.withLock { $0 = status }
    }
}
