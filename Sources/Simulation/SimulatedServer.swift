import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import Gateway
import Journal
import Synchronization
import WebSocketCodec
import WireProtocol

/// One life of a server: the real engine, publisher, hubs and journal, on a simulated disk and in simulated time.
///
/// Its queues work in lock step with the simulator: the journal's is held while commands are decided, and the simulator
/// waits while the journal writes. So the same seed gives the same history.
final class SimulatedServer {
    private let queue = DispatchQueue(label: "belfry.simulated-journal")
    private let disk: SimulatedDisk
    private let log: DiskLog<RecordingLog.Entry>
    private let publisher: Publisher
    private let engine: ChatEngine
    private let loops: [SimulatedLoop]
    private let hubs: [LoopHub]
    private let failure: Failure

    private final class Failure: Sendable {
        let isThere = Mutex(false)
    }

    /// What was there in the beginning: a state, and the frames after it.
    private let base: (state: ChatState, sequence: UInt64)
    private let tail: [History.Frame]

    static let loopCount = 2
    /// A loop of its own hears the answers to the simulator's own questions.
    private static let probe = ConnectionID(loop: loopCount, serial: 1)

    /// What a server would find, and how much it would cut off.
    static func found(
        on disk: SimulatedDisk, _ options: SimulatorOptions, _ written: [History.Frame]
    ) throws -> (Found, cutBytes: Int) {
        var journal = JournalOptions()
        journal.segmentBytes = options.segmentBytes
        let log = try DiskLog<RecordingLog.Entry>(
            disk, queue: DispatchQueue(label: "belfry.simulated-look"), options: journal, salts: SplitMix(seed: 1)
        ) { _ in }
        let base = try log.base()
        var tail: [History.Frame] = []
        try log.read(from: base.sequence + 1) { tail.append(History.Frame(sequence: $0, records: $1)) }
        return (Found(base: base, tail: tail, written: written), log.report.cut.map(\.bytes) ?? 0)
    }

    /// - Throws: `JournalError`, or what `restore` throws.
    init(
        _ disk: SimulatedDisk, clock: SimulatedClock, recorder: Recorder, options: SimulatorOptions, life: UInt64
    ) throws {
        self.disk = disk
        let (queue, failure) = (queue, Failure())
        var journal = JournalOptions()
        journal.segmentBytes = options.segmentBytes
        log = try DiskLog(
            disk, queue: queue, options: journal, salts: SplitMix(seed: life),
            later: { clock.after($0, on: queue, $1) },
            failed: { error in
                failure.isThere.withLock { $0 = true }
                recorder.note(.failed("\(error)")) { $0.add("\(error)") }
            })
        self.failure = failure
        loops = (0...Self.loopCount).map(SimulatedLoop.init)
        var rings = RoomRings.Limits()
        rings.eventsPerRoom = options.eventsPerRoom
        let publisher = Publisher(queue: queue, ports: loops, rings: rings, metrics: NOOPMetricsHandler.instance)
        self.publisher = publisher
        let recording = RecordingLog(log, recorder)
        var limits = ChatEngine.Limits()
        limits.recoverableFrames = options.keptFrames ?? limits.recoverableFrames
        engine = ChatEngine(
            log: recording, publisher: publisher, ports: loops, settings: ChatSettings(), limits: limits,
            metrics: NOOPMetricsHandler.instance, random: SplitMix(seed: life &+ 1), clock: { clock.now })
        hubs = (0..<Self.loopCount).map { loop in
            LoopHub(frame: FrameEncoder.text) { publisher.release($0, by: loop, generation: $1) }
        }
        try engine.restore()
        // Anew: the engine goes on with the other.
        base = try log.base()
        tail = recording.takeFrames()
        queue.sync {}
    }

    var report: JournalReport { log.report }
    func found(_ written: [History.Frame]) -> Found { Found(base: base, tail: tail, written: written) }
    var hasFailed: Bool { failure.isThere.withLock(\.self) }
    var hasDeliveries: Bool { loops.contains { !$0.isEmpty } }

    // MARK: Doors

    /// - Parameter meanwhile: Comes in while the disk carries out an operation of what came before, if there is one.
    /// - Parameter beforeWriting: Comes when all is decided and nothing of it is durable: loops work on then too.
    func run(_ errands: [Errand], meanwhile: [Errand] = [], beforeWriting: () -> Void = {}) {
        queue.suspend()
        Self.enter(errands, engine)
        beforeWriting()
        let late = Late(meanwhile)
        // While it writes, or while it syncs.
        disk.during(disk.operations + 1 + meanwhile.count % 2) { [engine] in Self.enter(late.take(), engine) }
        queue.resume()
        queue.sync {}
        disk.forgetInterlude()
        let rest = late.take()
        if !rest.isEmpty { run(rest) }
    }

    /// Waits for what the clock has handed to the journal's queue.
    func settle() { queue.sync {} }

    private static func enter(_ errands: [Errand], _ engine: ChatEngine) {
        guard !errands.isEmpty else { return }
        for errand in errands { errand.run(engine) }
        let done = DispatchSemaphore(value: 0)
        engine.barrier { done.signal() }
        done.wait()
    }

    /// What was decided and not written yet dies with the process.
    func die() { queue.sync {} }

    func close() {
        log.close {}
        queue.sync {}
    }

    // MARK: Loops

    /// - Parameter body: Told which client a delivery is for: by the connection's id.
    func turn(_ loop: Int, _ take: (Delivery, LoopHub) -> Void) {
        for delivery in loops[loop].take() {
            switch delivery {
            case .published(let room, let frame): hubs[loop].publish(frame, in: room)
            case .gained(let user, let grant): hubs[loop].gained(user, grant)
            case .lost(let user, let room): hubs[loop].lost(user, room)
            case .ousted(let user): hubs[loop].oust(user)
            case .narrowed(let user, let room, let start): hubs[loop].narrow(user, room, visibleFrom: start)
            case .attached, .subscribed, .answered: take(delivery, hubs[loop])
            }
        }
        hubs[loop].flush()
    }

    func leave(_ client: SimulatedClient) { hubs[client.loop].detach(client) }
    func leave(_ client: SimulatedClient, _ room: Room) { hubs[client.loop].leave(client, room) }
    func isSeated(_ client: SimulatedClient, in room: Room) -> Bool { hubs[client.loop].isMember(client, of: room) }

    // MARK: Questions

    /// The answer at a quiet moment.
    func answer(_ query: any Query, as caller: Caller) -> Answer? {
        Self.enter([.look(query, caller, ReturnAddress(connection: Self.probe, command: 1))], engine)
        guard case .answered(_, let answer) = loops[Self.loopCount].take().first else { return nil }
        return answer
    }
}

/// One thing that is asked of the engine.
enum Errand: Sendable {
    case change(any Change, Caller, ReturnAddress)
    case query(any Query, Caller, ReturnAddress)
    /// A query by which nobody begins to exist.
    case look(any Query, Caller, ReturnAddress)
    case attach(AttachRequest)
    case subscribe(UserID, Room, SubscribeRequest, ReturnAddress)

    func run(_ engine: ChatEngine) {
        switch self {
        case .change(let change, let caller, let address): engine.change(change, as: caller, answerTo: address)
        case .query(let query, let caller, let address): engine.query(query, as: caller, answerTo: address)
        case .look(let query, let caller, let address):
            engine.query(query, as: caller, admitsNewcomer: false, answerTo: address)
        case .attach(let request): engine.attach(request)
        case .subscribe(let user, let room, let request, let address):
            engine.subscribe(user, to: room, request, answerTo: address)
        }
    }
}

/// Errands that are run once, whoever comes first.
private final class Late: Sendable {
    private let errands: Mutex<[Errand]>

    init(_ errands: [Errand]) { self.errands = Mutex(errands) }

    func take() -> [Errand] {
        errands.withLock { errands in
            defer { errands = [] }
            return errands
        }
    }
}
