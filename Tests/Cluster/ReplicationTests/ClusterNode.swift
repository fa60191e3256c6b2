import Gateway
import Simulation

@testable import Replication

/// A process of a simulated cluster: reader, queue and election put together as a server does.
///
/// Confined to the test's thread, which stands in for the node's queue.
final class ClusterNode: @unchecked Sendable {
    let id: NodeID
    private(set) var election: Election
    private(set) var frames: [NumberedFrame] = []
    /// The serials that clients of this node know to be stored.
    private(set) var acknowledged: [UInt64] = []
    /// Whether it was deposed with frames that had been decided but not stored.
    private(set) var mustEnd = false
    private(set) var failure: LogStreamError?
    /// A stopped process neither runs nor ends. What arrives waits.
    private(set) var isStopped = false
    var clockDifferences: [Int64] = [] {
        didSet { election.compareClocks(clockDifferences) }
    }

    private let timeline: Timeline
    private let log: SimulatedLogConnection
    private let bus: SimulatedBusConnection
    private var reader = LogReader(cluster: cluster, lastFrame: 0)
    private var queue: AppendQueue?
    /// Tells apart the queues of several candidacies.
    private var queueNumber = 0
    private var isReading = false
    private var isApplyingToEnd = false
    private var subscriptions: [any BusSubscription] = []
    private var serving: (any BusSubscription)?
    private var isOver = false
    private var backlog: [() -> Void] = []

    init(_ id: NodeID, _ timeline: Timeline, _ store: SimulatedLogStore, _ bus: SimulatedBus) {
        self.id = id
        self.timeline = timeline
        log = store.connect()
        self.bus = bus.connect()
        election = Election(node: id, at: timeline.now)
        log.follow { entry in self.run { self.receive(entry) } }
        subscriptions = [
            self.bus.serve("beat") { message, _ in
                self.run {
                    self.receiveBeat(ofTerm: Self.number(message.prefix(8)), last: Self.number(message.suffix(8)))
                }
            },
            self.bus.serve("handover.\(id)") { message, _ in
                self.run { self.perform(self.election.receivedHandover(afterTerm: Self.number(message))) }
            },
        ]
        applyToEnd()
        tick()
    }

    var isWriter: Bool { election.role == .writer && !isOver && !election.isHandingOver && queue != nil }
    var isIdle: Bool { queue?.isEmpty == true }
    private var now: Int64 { timeline.now }

    // MARK: The process

    /// Ends the process without notice.
    func kill() {
        isOver = true
        subscriptions = []
        serving = nil
        queue = nil
        log.close()
        bus.close()
    }

    func stop() { isStopped = true }

    func resume() {
        isStopped = false
        let work = backlog
        backlog = []
        for body in work { run(body) }
    }

    /// Cuts the node off from the store and the bus.
    func setCut(_ isCut: Bool) {
        log.isCut = isCut
        bus.isCut = isCut
    }

    func setSide(_ side: Int) { bus.side = side }

    private func run(_ body: @escaping () -> Void) {
        guard !isOver, failure == nil else { return }
        if isStopped { backlog.append(body) } else { body() }
    }

    private func after(_ milliseconds: Int, _ body: @escaping () -> Void) {
        timeline.after(milliseconds) { self.run(body) }
    }

    private func tick() {
        perform(election.tick(at: now))
        pump()
        if reader.missing != nil { readOn() }
        after(50) { self.tick() }
    }

    // MARK: Election

    private func perform(_ actions: [Election.Action]) {
        for action in actions {
            switch action {
            case .sendBeat:
                bus.publish(Self.bytes(election.term?.number ?? 0) + Self.bytes(reader.next - 1), to: "beat")
            case .probeWriter(let term):
                bus.request([], to: "writer", milliseconds: 500) { reply in
                    self.run { self.perform(self.election.probed(term, Self.result(reply), at: self.now)) }
                }
            case .applyToEnd: applyToEnd()
            case .startTerm(let number): start(number)
            case .becomeWriter(let term):
                serving = bus.serve("writer") { _, reply in self.run { reply?(Self.bytes(term.number)) } }
            case .stepDown: stepDown()
            case .sendHandover(let successor, let term): bus.publish(Self.bytes(term), to: "handover.\(successor)")
            }
        }
    }

    private func receiveBeat(ofTerm number: UInt64, last: UInt64) {
        reader.expect(upTo: last)
        perform(election.receivedBeat(ofTerm: number, at: now))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func result(_ reply: BusReply) -> Election.ProbeResult {
        switch reply {
        case .reply(let bytes): .reply(term: number(bytes))
        case .nobody: .nobody
        case .silence: .silence
        }
    }

    func handOver(to successor: NodeID) {
        perform(election.handOver(to: successor))
        // The process stops in any case.
        after(1_000) { self.mustEnd = self.mustEnd || self.election.isHandingOver }
    }

    private func start(_ term: UInt64) {
        guard let end = reader.end, end.term + 1 == term else { return perform(election.lostAppend()) }
        queueNumber += 1
        queue = AppendQueue(cluster: cluster, writer: id, after: end, recordVersion: 4, sizeLimit: 1_000)
        pump()
    }

    private func stepDown() {
        serving = nil
        mustEnd = queue?.isEmpty == false
        queue = nil
        if !mustEnd { election.rejoin(at: now) }
    }

    // MARK: Reading

    private func applyToEnd() {
        isApplyingToEnd = true
        log.bounds { result in
            self.run {
                guard self.isApplyingToEnd else { return }
                guard case .success(let bounds) = result else { return self.after(50) { self.applyToEnd() } }
                self.reader.expect(upTo: bounds.last)
                self.readOn()
            }
        }
    }

    /// Reads what is missing, one request at a time.
    private func readOn() {
        guard !isReading else { return }
        guard let missing = reader.missing else {
            guard isApplyingToEnd else { return }
            isApplyingToEnd = false
            return perform(election.reachedEnd())
        }
        isReading = true
        log.read(from: missing, bytes: 3_000) { result in
            self.run {
                self.isReading = false
                for entry in (try? result.get()) ?? [] { self.receive(entry) }
                self.after(1) { self.readOn() }
            }
        }
    }

    private func receive(_ entry: LogEntry) {
        do {
            for step in try reader.receive(entry) {
                switch step {
                case .term(let term):
                    // A candidate has lost. A writer's queue is dropped when it steps down.
                    if term.writer != id, election.role == .starting { queue = nil }
                    perform(election.saw(term, at: now))
                case .frame(let frame, _): frames.append(frame)
                case .needs: readOn()
                }
            }
        } catch {
            failure = error
        }
    }

    // MARK: Writing

    /// Decides on a client's command.
    func submit(_ frame: LogFrame) {
        guard isWriter, !isStopped, queue?.oldestAge(at: now) ?? 0 <= AppendQueue.refusalAge else { return }
        queue?.append(frame, at: now)
        pump()
    }

    private func pump() {
        while let request = queue?.next(at: now) {
            let queueNumber = queueNumber
            switch request {
            case .append(let bytes, let last, let id):
                log.append(bytes, expecting: last, id: id) { outcome in
                    self.run { self.handle(queueNumber) { $0.appended(outcome, at: self.now) } }
                }
            case .read(let number):
                log.read(from: number, bytes: 1) { result in
                    self.run { self.handle(queueNumber) { $0.read(result, at: self.now) } }
                }
            }
        }
    }

    private func handle(_ number: Int, _ report: (inout AppendQueue) -> AppendQueue.Progress) {
        // The reply to a candidate that has lost since.
        guard number == queueNumber, var queue else { return }
        let progress = report(&queue)
        self.queue = queue
        switch progress {
        case .waiting: break
        case .stored(let entry, let committed):
            acknowledged += committed.map(\.frame.tag.serial)
            receive(entry)
        case .lost:
            if election.role == .starting { self.queue = nil }
            perform(election.lostAppend())
        }
        pump()
    }
}
