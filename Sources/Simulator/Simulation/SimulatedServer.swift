import API
import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import FoundationEssentials
import Gateway
import Journal
import Logging
import Synchronization
import Transport
import WireProtocol

/// One life of a server: the real loop servers, connections, sessions, engine, publisher and journal, on a simulated
/// network, disk and clock.
///
/// Its queues run when the simulator says so, on its thread, so the same seed gives the same history.
final class SimulatedServer {
    private let engineQueue: HeldQueue
    private let journalQueue: HeldQueue
    private let disk: SimulatedDisk
    private let log: DiskLog<Outcome>
    /// The server's part in a cluster; `nil` for a single server.
    let member: SimulatedMember?
    private let engine: ChatEngine
    private let loops: [SimulatedLoop]
    private let servers: [LoopServer]
    private let backend: BackendAnswers
    private let commands: CommandTable
    private let failure: Failure
    private let recorder: Recorder
    private(set) var links: [SimulatedLink] = []

    private final class Failure: Sendable {
        let hasOccurred = Mutex(false)
    }

    private final class Adoption: Sendable {
        let isUnderWay = Mutex(false)
        /// Whether the disk failed while replaced blocks were overwritten.
        let hasFailed = Mutex(false)
    }

    private let adoption = Adoption()
    /// The snapshot whose blocks the engine uses.
    private lazy var known = base.sequence
    private let loads = HeldLoads()

    /// The data at startup: a state, and the frames after it.
    private let base: (state: ChatState, sequence: UInt64)
    private let tail: [History.Frame]

    static let loopCount = 2

    /// Returns what a server would find, and how many bytes it would cut off.
    static func found(
        on disk: SimulatedDisk, _ options: SimulatorOptions, _ written: [History.Frame]
    ) throws -> (Found, cutBytes: Int) {
        let log = try DiskLog<Outcome>(
            disk, queue: HeldQueue(SimulatedClock(now: 0)), options: .simulated(options), salts: SplitMix(seed: 1)
        ) { _ in }
        let base = try log.base()
        var tail: [History.Frame] = []
        try log.read(from: base.sequence + 1) { tail.append(History.Frame(sequence: $0, records: $1)) }
        return (Found(base: base, tail: tail, written: written), log.report.cut.map(\.bytes) ?? 0)
    }

    /// - Parameters:
    ///   - recorder: For what clients and the backend receive.
    ///   - frames: For what the engine appends and its log reports.
    ///   - seat: The server's place in a cluster; `nil` for a single server.
    /// - Throws: `JournalError`, or an error of `restore`.
    init(
        _ disk: SimulatedDisk, clock: SimulatedClock, recorder: Recorder, frames: Recorder? = nil,
        options: SimulatorOptions, limits: ConnectionLimits, life: UInt64, seat: SimulatedSeat? = nil
    ) throws {
        self.disk = disk
        self.recorder = recorder
        let (journalQueue, engineQueue, failure) = (HeldQueue(clock), HeldQueue(clock), Failure())
        (self.journalQueue, self.engineQueue) = (journalQueue, engineQueue)
        let log = try DiskLog<Outcome>(
            disk, queue: journalQueue, options: .simulated(options), salts: SplitMix(seed: life),
            failed: { error in
                failure.hasOccurred.withLock { $0 = true }
                (frames ?? recorder).record(.failed("\(error)")) { $0.add("\(error)") }
            })
        self.failure = failure
        self.log = log
        let member = seat.map { SimulatedMember($0, journal: log, clock: clock) }
        self.member = member
        loops = (0..<Self.loopCount).map { SimulatedLoop(index: $0, clock: clock) }
        servers = loops.map { LoopServer(loop: $0) }
        let ports = servers.map { LoopPort($0) }
        let idempotency = IdempotentRequests(limits: limits.idempotency, metrics: NOOPMetricsHandler.instance)
        backend = BackendAnswers(recorder)
        var rings = RoomRings.Limits()
        rings.eventsPerRoom = options.eventsPerRoom
        let publisher = Publisher(
            queue: journalQueue, ports: ports, rings: rings, metrics: NOOPMetricsHandler.instance)
        let recording = RecordingLog(member?.log ?? log, frames ?? recorder)
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        settings.guests.awaySeconds = Int(SimulatorOptions.guestAwaySeconds)
        var engineLimits = ChatEngine.Limits()
        engineLimits.recoverableFrames = options.keptFrames ?? engineLimits.recoverableFrames
        engineLimits.recoverableBytes = min(engineLimits.recoverableBytes, options.keptBytes)
        // Nearly every body that a snapshot has stored is read from disk.
        (engineLimits.bodyBytes, engineLimits.blockCacheBytes) = (0, 2_000)
        if options.isScarce {
            engineLimits.budgets = .scarce
            (settings.additionsAtOnce, settings.additionsPerMinute) = (3, 20)
            (settings.creationsAtOnce, settings.creationsPerMinute) = (2, 20)
        }
        engine = ChatEngine(
            log: recording, publisher: publisher, ports: ports, settings: settings, limits: engineLimits,
            metrics: NOOPMetricsHandler.instance, random: SplitMix(seed: life &+ 1), queue: engineQueue,
            later: engineQueue.after, loader: { [loads] in loads.add($0, on: engineQueue) }, clock: { clock.now })
        if let member { engine.join(member.port) }
        try engine.restore()
        // Loaded again, because the engine modifies its own copy.
        base = try log.base()
        tail = recording.drainFrames()
        commands = CommandTable(engine: engine, hooks: HookGate(SimulatedHook(engineQueue)))
        let chat = ChatServices(
            engine: engine, publisher: publisher, commands: commands, idempotency: idempotency,
            isClustered: member != nil)
        let files = try FileStore(folder: ".", limits: FileStore.Limits(), metrics: NOOPMetricsHandler.instance)
        let services = Services(
            chat: chat,
            access: AccessControl(
                tokens: PlainTokens(), revokedTokens: engine.revokedTokens, keys: KeyRing([])),
            limits: SharedLimits(limits, unknownFields: commands.unknownFields), content: HTTPContent(files: files),
            identity: ServerIdentity(version: "simulated", node: "simulated"),
            metrics: ConnectionMetrics(NOOPMetricsHandler.instance), wallClock: { clock.now },
            logger: Logger(label: "simulated", factory: { _ in SwiftLogNoOpLogHandler() }))
        for server in servers { server.serve(services) }
        member?.start(chat, clock: clock)
        engineQueue.hold()
        journalQueue.hold()
    }

    var report: JournalReport { log.report }
    /// Call this only once: it advances the state from startup by the frames after it.
    func found(_ written: [History.Frame]) -> Found { Found(base: base, tail: tail, written: written) }
    var hasFailed: Bool { failure.hasOccurred.withLock(\.self) }

    /// Makes a snapshot as a server does while it runs, unless the engine still uses the one before.
    func compact(_ compaction: Compaction) throws(JournalError) -> Compaction.Result? {
        guard !adoption.isUnderWay.withLock(\.self), let result = try compaction.run() else { return nil }
        adopt(result, by: compaction)
        return result
    }

    /// Leaves nothing of frames up to this one on the disk, as a server does after a deletion.
    ///
    /// - Returns: False if that is not possible yet: a later call may succeed.
    func erase(through frame: UInt64, salt: UInt64) throws(JournalError) -> Bool {
        guard !adoption.isUnderWay.withLock(\.self) else { return false }
        let compaction = Compaction(simulated: disk, keeping: 0, bytes: .max, salt: salt)
        guard let result = try compaction.erase(through: frame) else {
            log.rotate {}
            return false
        }
        adopt(result, by: compaction)
        return true
    }

    /// Whether the engine uses the blocks of the newest snapshot, and earlier ones are overwritten.
    var hasAdopted: Bool { !adoption.isUnderWay.withLock(\.self) && !adoption.hasFailed.withLock(\.self) }

    private func adopt(_ result: Compaction.Result, by compaction: Compaction) {
        adoption.isUnderWay.withLock { $0 = true }
        // An attempt that failed later may have written the snapshot.
        let blocks = result.base == known ? result.newBlocks : result.blocks
        known = result.sequence
        engine.adopt(blocks, asOf: result.time, keeping: result.blockFiles) { [adoption] _ in
            do {
                try compaction.overwriteUnused(after: result)
                adoption.hasFailed.withLock { $0 = false }
            } catch {
                // The next snapshot does it.
                adoption.hasFailed.withLock { $0 = true }
            }
            adoption.isUnderWay.withLock { $0 = false }
        }
    }

    // MARK: Network

    func accept(_ link: SimulatedLink, on loop: Int) {
        links.append(link)
        servers[loop].admit(SimulatedSocket(link, on: loops[loop]), peer: "simulated")
    }

    /// Moves bytes, and drops links that neither end uses.
    func deliver() {
        for link in links { link.deliver() }
        links.removeAll { $0.isServerGone && ($0.isClientGone || $0.condition != .open) }
    }

    /// - Returns: Whether anything moved.
    func deliverAll() -> Bool { links.reduce(false) { $1.deliverAll() || $0 } }

    // MARK: Backend

    /// Sends a command. Errors in the call itself are reported immediately.
    func command(_ request: some Request, number: UInt32) {
        let address = ReturnAddress { [backend] in backend.receive($0, to: number) }
        recorder.record(.backendCommanded(number: number, request)) { $0.add(UInt64(number)) }
        if let guest = request as? AdmitGuest { return engine.change(guest, as: .server, answerTo: address) }
        do throws(Rejection) {
            guard let data = try? JSONEncoder().encode(request) else { throw Rejection(.badRequest) }
            try commands.start(type(of: request).method, Array(data)[...], by: .server, answerTo: address)
        } catch {
            backend.receive(.failure(error), to: number)
        }
    }

    func drainAnswers() -> [(number: UInt32, answer: Answer)] { backend.drain() }

    // MARK: Turns

    /// Runs a loop and its connections, the only parts that see the network.
    ///
    /// - Returns: Whether there was anything to do.
    func turn(_ loop: Int, socketsFirst: Bool) -> Bool { loops[loop].run(socketsFirst: socketsFirst) }

    /// Lets the engine decide pending commands, without making them durable.
    func decide() { engineQueue.run() }

    /// Whether the journal has something to write, to publish or to prepare.
    var hasEntries: Bool { !journalQueue.isEmpty }

    /// Lets the journal write, sync and publish.
    ///
    /// - Parameter isDecidingMeanwhile: Whether the engine decides pending commands while the disk performs one of the
    ///   first operations.
    func write(isDecidingMeanwhile: Bool = false, after operations: Int = 1) {
        if isDecidingMeanwhile {
            disk.during(disk.operations + operations) { [engineQueue] in engineQueue.run() }
        }
        journalQueue.run()
        disk.cancelInterlude()
    }

    /// Loads the bodies that commands wait for.
    ///
    /// - Returns: Whether there was something to load.
    func load() -> Bool { loads.run() }

    // MARK: Ends

    /// Tells every client to reconnect later.
    func drain() { for server in servers { server.drain {} } }
    func closeAll() { for server in servers { server.closeAll() } }
    /// Asks every client to use another node.
    func sendAway() { for server in servers { server.sendAway() } }

    func closeLog() {
        log.close {}
        write()
    }

    /// Ends the process without notifying anyone. Commands that were not yet decided or written may or may not reach
    /// the disk.
    func die() {
        backend.close()
        member?.end()
        engineQueue.release()
        journalQueue.release()
        for loop in loops { loop.die() }
        for server in servers { server.retire() }
        links = []
    }

    // MARK: Queries

    /// Returns the answer to a query at a quiet moment. In a cluster, it waits for the writer's answer first.
    func answer(_ query: any Query, as caller: Caller) -> Answer? {
        let received = Received()
        engine.query(
            query, as: caller, admitsNewcomer: false,
            answerTo: ReturnAddress { answer in received.answer.withLock { $0 = answer } })
        decide()
        while received.answer.withLock(\.self) == nil, loads.run() { decide() }
        member?.wait {
            decide()
            if loads.run() { decide() }
            // The answer may wait behind entries of the journal.
            write()
            return received.answer.withLock(\.self) != nil
        }
        return received.answer.withLock(\.self)
    }
}

/// What waits for bodies from the disk.
private final class HeldLoads: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// Runs a load after a millisecond, unless `run` is called before.
    func add(_ load: @escaping @Sendable () -> Void, on queue: HeldQueue) {
        waiting.withLock { $0.append(load) }
        queue.after(milliseconds: 1) { self.run() }
    }

    /// - Returns: Whether there was something to load.
    @discardableResult
    func run() -> Bool {
        let loads = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for load in loads { load() }
        return !loads.isEmpty
    }
}

/// The answer to one of the simulator's own queries.
private final class Received: Sendable {
    let answer = Mutex<Answer?>(nil)
}

/// Unsigned tokens: a user id, the validity in milliseconds (0 for unlimited), and the second of issue.
private struct PlainTokens: TokenChecker {
    func verify(
        _ token: String?, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        let parts = token?.split(separator: ":") ?? []
        guard parts.count == 3, let user = UserID(String(parts[0])), let time = Int64(parts[1]),
            let second = Int64(parts[2])
        else { return handOver(.failure(.invalid)) }
        handOver(.success(Identity(user: user, validFor: time > 0 ? time : nil, issuedAt: second)))
    }
}

extension JournalOptions {
    /// What a journal does in the same order in every process.
    fileprivate static func simulated(_ options: SimulatorOptions) -> JournalOptions {
        var journal = JournalOptions()
        journal.segmentBytes = options.segmentBytes
        journal.bytesOnCaller = 0
        journal.decodingThreads = 0
        return journal
    }
}
