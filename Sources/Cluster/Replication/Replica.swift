import Dispatch
import Gateway
import Journal
import Records

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

        package init(
            apply: @escaping @Sendable ([LoggedFrame], @escaping @Sendable (Bool) -> Void) -> Void,
            began: @escaping @Sendable (LogTerm) -> Void = { _ in },
            failed: @escaping @Sendable (ReplicaFailure) -> Void
        ) {
            self.apply = apply
            self.began = began
            self.failed = failed
        }
    }

    private enum Item {
        case frame(LoggedFrame, payload: [UInt8])
        case term(LogTerm)
    }

    private static var tickMilliseconds: Int { 50 }
    /// How long a probe of the writer waits, in milliseconds.
    private static var probeMilliseconds: Int { 500 }
    /// The size in bytes of what one read of the store returns, and of what waits for the engine.
    private static var bytesAtOnce: Int { 1 << 20 }

    private let node: NodeID
    private let cluster: String
    private let queue: DispatchQueue
    private let store: any LogStore
    private let bus: any Bus
    private let hooks: Hooks
    private let clock: @Sendable () -> Int64
    private var log: ReplicatedLog<Note>?
    private var reader: LogReader?
    private var search: LogSearch?
    private var election: Election
    /// Read, but not applied yet.
    private var ready: [Item] = []
    private var readyBytes = 0
    private var isReading = false
    private var isApplying = false
    /// The number of the message up to which a candidate must have applied the log; `nil` while it is not known.
    private var goal: UInt64?
    private var isSeekingEnd = false
    private var hasEnded = false
    private var subscriptions: [any BusSubscription] = []
    private var writerSubscription: (any BusSubscription)?

    /// - Parameters:
    ///   - queue: A serial queue.
    ///   - clock: Milliseconds; never goes back.
    package init(
        node: NodeID, cluster: String, queue: DispatchQueue, store: any LogStore, bus: any Bus, hooks: Hooks,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.node = node
        self.cluster = cluster
        self.queue = queue
        self.store = store
        self.bus = bus
        self.hooks = hooks
        self.clock = clock
        election = Election(node: node, at: clock())
    }

    /// Makes the log whose owner this is.
    package func makeLog(
        journal: DiskLog<Note>, tag: @escaping @Sendable (Note) -> LogFrame.Tag
    ) -> ReplicatedLog<Note> {
        ReplicatedLog(
            journal: journal, store: store, queue: queue,
            events: .init(
                stored: { [weak self] entry in self?.receive([entry]) },
                lost: { [weak self] in self?.lostAppend() }),
            tag: tag, clock: clock)
    }

    /// Begins to follow the shared log.
    ///
    /// - Parameter lastFrame: The last frame that the engine has applied.
    package func start(_ log: ReplicatedLog<Note>, after lastFrame: UInt64) {
        queue.async {
            self.log = log
            self.store.follow { entry in self.queue.async { self.receive([entry]) } }
            self.listen()
            self.find(after: lastFrame)
            self.tickRegularly()
        }
    }

    /// Leaves the cluster without a word, as a crash does.
    package func stop() {
        queue.async { [self] in
            hasEnded = true
            log?.stepDown()
            (writerSubscription, subscriptions) = (nil, [])
        }
    }

    private func tickRegularly() {
        guard !hasEnded else { return }
        tick()
        later { self.tickRegularly() }
    }

    private func tick() {
        guard reader != nil else { return }
        log?.tick()
        perform(election.tick(at: clock()))
        if isSeekingEnd, goal == nil { seekEnd() }
        proceed()
    }

    /// Call this from another queue.
    package var role: Election.Role { queue.sync { election.role } }

    // MARK: Where to begin

    private func find(after lastFrame: UInt64) {
        store.bounds { result in
            self.queue.async {
                switch result {
                case .success(let bounds):
                    self.search = LogSearch(after: lastFrame, in: bounds)
                    self.continueSearch(after: lastFrame)
                case .failure: self.later { self.find(after: lastFrame) }
                }
            }
        }
    }

    private func continueSearch(after lastFrame: UInt64) {
        switch search?.next {
        case .read(let number):
            store.read(from: number, bytes: 1) { result in
                self.queue.async {
                    switch result {
                    case .success(let entries):
                        let entry = entries.first.flatMap { $0.number == number ? $0 : nil }
                        let message = entry.flatMap { try? LogMessage($0.message) }
                        // What cannot be read is reported once the reader comes to it.
                        self.search?.receive(firstFrame: message?.firstFrame ?? 0, of: number)
                        self.continueSearch(after: lastFrame)
                    case .failure(.dropped): self.later { self.find(after: lastFrame) }
                    case .failure: self.later { self.continueSearch(after: lastFrame) }
                    }
                }
            }
        case .found(let number):
            search = nil
            reader = LogReader(cluster: cluster, next: number, lastFrame: lastFrame)
            proceed()
            read(from: number)
        case nil: break
        }
    }

    private func later(_ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.tickMilliseconds), execute: body)
    }

    // MARK: Reading

    private func receive(_ entries: [LogEntry]) {
        for entry in entries {
            guard reader != nil, !hasEnded else { return }
            // The store keeps what does not fit here.
            if readyBytes > Self.bytesAtOnce {
                reader?.expect(upTo: entry.number)
                continue
            }
            do throws(LogStreamError) {
                for step in try reader?.receive(entry) ?? [] { take(step) }
            } catch {
                return fail(.log(error))
            }
        }
        proceed()
    }

    private func take(_ step: LogReader.Step) {
        switch step {
        case .term(let term):
            if term.writer != node, election.role == .starting { log?.withdraw() }
            if term.writer != node { ready.append(.term(term)) }
            perform(election.saw(term, at: clock()))
        case .frame(let numbered, let version):
            // The engine has applied what this node decided.
            guard reader?.term?.writer != node else { return }
            let tag = numbered.frame.tag
            let serial = tag.answersNode && tag.origin == node ? tag.serial : nil
            guard numbered.frame.isNumbered || serial != nil else { return }
            guard version <= RecordCoder.version else { return fail(.newerRecords(version: version)) }
            guard let records = numbered.frame.isNumbered ? try? RecordCoder.decode(numbered.frame.payload) : [] else {
                return fail(.unreadableFrame(numbered.number))
            }
            ready.append(
                .frame(
                    LoggedFrame(
                        number: numbered.number, records: records, freshID: tag.id, serial: serial,
                        refusal: serial == nil ? nil : tag.refusal), payload: numbered.frame.payload))
            readyBytes += numbered.frame.payload.count
        case .needs: break
        }
    }

    /// Does whatever can be done now: passes frames to the engine, reads what is missing, stands for election.
    private func proceed() {
        guard !hasEnded else { return }
        applyReady()
        if let missing = reader?.missing, readyBytes <= Self.bytesAtOnce { read(from: missing) }
        guard isSeekingEnd, let goal, let reader, reader.next > goal, ready.isEmpty, !isApplying else { return }
        self.goal = nil
        // Nobody has created the log yet; the next tick looks again.
        guard reader.term != nil else { return }
        isSeekingEnd = false
        // Frames that only this node has would be replaced by others with the same numbers.
        guard reader.end != nil else { return fail(.aheadOfLog) }
        perform(election.reachedEnd())
    }

    private func read(from number: UInt64) {
        guard !isReading else { return }
        isReading = true
        store.read(from: number, bytes: Self.bytesAtOnce) { result in
            self.queue.async {
                self.isReading = false
                switch result {
                case .success(let entries) where !entries.isEmpty: self.receive(entries)
                case .failure(.dropped(let first)): self.fail(.log(.missingFrames(first: first)))
                // The store answered from a copy that is behind, or not at all. The next tick tries again.
                case .success, .failure: break
                }
            }
        }
    }

    private func applyReady() {
        guard !isApplying, !ready.isEmpty, let log else { return }
        var frames: [LoggedFrame] = []
        var count = 0
        loop: for item in ready {
            switch item {
            case .term(let term) where frames.isEmpty: hooks.began(term)
            case .term: break loop
            case .frame(let frame, let payload):
                // Without space in the journal, the next tick tries again.
                guard payload.isEmpty || log.reserve(following: payload) else { break loop }
                frames.append(frame)
            }
            count += 1
        }
        ready.removeFirst(count)
        if ready.isEmpty { readyBytes = 0 }
        guard !frames.isEmpty else { return }
        isApplying = true
        hooks.apply(frames) { isApplied in
            self.queue.async {
                self.isApplying = false
                guard isApplied else { return self.fail(.diverged) }
                self.proceed()
            }
        }
    }

    private func fail(_ failure: ReplicaFailure) {
        guard !hasEnded else { return }
        hasEnded = true
        log?.stepDown()
        (writerSubscription, subscriptions) = (nil, [])
        hooks.failed(failure)
    }

    // MARK: Elections

    private func perform(_ actions: [Election.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: Election.Action) {
        switch action {
        case .sendBeat: bus.publish(beat, to: ClusterSubjects.beats)
        case .probeWriter(let term):
            bus.request([], to: ClusterSubjects.writer(of: term), milliseconds: Self.probeMilliseconds) { reply in
                self.queue.async { self.probed(term, reply) }
            }
        case .applyToEnd: seekEnd()
        case .startTerm(let term):
            guard let end = reader?.end, end.term + 1 == term else { return perform(election.lostAppend()) }
            log?.startTerm(cluster: cluster, writer: node, after: end)
        case .becomeWriter(let term):
            log?.becomeWriter()
            hooks.began(term)
            writerSubscription = bus.serve(ClusterSubjects.writer(of: term)) { _, reply in
                reply?(Beat(term: term.number, last: 0).encoded)
            }
        case .stepDown: fail(.deposed)
        case .sendHandover(let successor, let term):
            bus.publish(Beat(term: term, last: 0).encoded, to: ClusterSubjects.handover(to: successor))
        }
    }

    private func lostAppend() {
        if election.role == .starting { log?.withdraw() }
        perform(election.lostAppend())
    }

    private var beat: [UInt8] {
        Beat(term: reader?.term?.number ?? 0, last: (reader?.next ?? 1) - 1).encoded
    }

    private func listen() {
        subscriptions = [
            bus.serve(ClusterSubjects.beats) { message, _ in
                guard let beat = Beat(message) else { return }
                self.queue.async { self.heard(beat) }
            },
            bus.serve(ClusterSubjects.handover(to: node)) { message, _ in
                guard let beat = Beat(message) else { return }
                self.queue.async { self.perform(self.election.receivedHandover(afterTerm: beat.term)) }
            },
        ]
    }

    private func heard(_ beat: Beat) {
        guard !hasEnded, election.role != .writer || beat.term > reader?.term?.number ?? 0 else { return }
        reader?.expect(upTo: beat.last)
        perform(election.receivedBeat(ofTerm: beat.term, at: clock()))
        proceed()
    }

    private func probed(_ term: LogTerm, _ reply: BusReply) {
        let result: Election.ProbeResult =
            switch reply {
            case .reply(let message): Beat(message).map { .reply(term: $0.term) } ?? .silence
            case .nobody: .nobody
            case .silence: .silence
            }
        perform(election.probed(term, result, at: clock()))
    }

    /// Finds out where the log ends; `proceed` reports once everything up to there is applied.
    private func seekEnd() {
        isSeekingEnd = true
        goal = nil
        store.bounds { result in
            self.queue.async {
                guard self.isSeekingEnd, case .success(let bounds) = result else { return }
                self.goal = bounds.last
                self.reader?.expect(upTo: bounds.last)
                self.proceed()
            }
        }
    }
}

/// Why a node must leave the cluster.
package enum ReplicaFailure: Error, Sendable {
    /// The shared log cannot be followed.
    case log(LogStreamError)
    /// A frame does not fit this node's state.
    case diverged
    /// This node's journal has frames that the log does not have.
    case aheadOfLog
    case unreadableFrame(UInt64)
    /// The writer uses a newer record format.
    case newerRecords(version: UInt32)
    /// Another node's term began while this one was the writer.
    case deposed
}

/// What the writer tells all nodes four times a second.
struct Beat: Equatable {
    let term: UInt64
    /// The number of the last message that the writer knows.
    let last: UInt64

    init(term: UInt64, last: UInt64) {
        self.term = term
        self.last = last
    }

    /// - Returns: Nil for anything but 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(term: word(0..<8), last: word(8..<16))
    }

    var encoded: [UInt8] {
        [term, last].flatMap { word in (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
}

/// The subjects of the cluster's bus.
enum ClusterSubjects {
    static let beats = "beats"
    static func writer(of term: LogTerm) -> String { "writer.\(term.number)" }
    static func handover(to node: NodeID) -> String { "handover.\(node.name).\(node.start)" }
}
