import ChatDomain
import ChatModel
import Dispatch
import Gateway
import Journal
import Metrics
import Synchronization
import WireProtocol

/// The single writer of all chat state.
///
///     reserve → decide → evolve → append     on `queue`, which never waits for the disk
///     ⇒ synced → Publisher                   on the log's queue
///
/// All state is touched on `queue` only. No effect of a command leaves the engine before its frame is durable. A query
/// is answered at once, unless its answer could include something that is not yet durable.
package final class ChatEngine: @unchecked Sendable {
    package struct Limits: Sendable, Equatable {
        /// The largest number of queued commands; further ones are refused with 111.
        package var commandsWaiting = 50_000
        /// The same for server keys; higher, so that users cannot lock out the app's backend.
        package var commandsWaitingWithReserve = 55_000
        /// The largest number of queued commands of one user, over all connections.
        package var commandsWaitingPerUser = 256
        /// The largest size in bytes of one user's queued commands.
        package var bytesWaitingPerUser = 4_194_304
        /// The largest number of deliveries waiting for one loop; while there are more, commands are refused with 111.
        package var deliveriesWaiting = 200_000
        /// How many frames, counted from the end of the log, clients can recover after a restart.
        package var recoverableFrames = 100_000
        /// The size limit of those frames in the log, in bytes; if frames are large, fewer are recoverable.
        package var recoverableBytes = 67_108_864
        /// The maximum size of the bodies of messages in memory, in bytes. Only bodies since the last snapshot may exceed
        /// it.
        package var bodyBytes = 1_073_741_824
        /// The maximum size of the blocks of bodies read from disk that are kept in memory, in bytes.
        package var blockCacheBytes = 67_108_864
        /// The size of the blocks that are being read, in bytes; while there are as many, commands and queries that miss
        /// some are refused with 111.
        package var blockLoadingBytes = 268_435_456
        /// The largest number of messages whose pushes follow after a restart; older ones are not pushed.
        package var restoredPushes = 100_000
        package var budgets = WorkLimits()
        var relay = RelayedCommands.Limits()
        package init() {}
    }

    /// Runs a closure on the engine's queue after the given number of milliseconds.
    package typealias Later = @Sendable (_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

    let queue: any SerialQueue
    private let timer: Later
    /// Runs a closure that reads from disk or computes for long, off the engine's queue.
    let loader: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
    /// Buffers everything that other queues post to `queue`.
    let intake: BatchQueue
    var state = ChatState()
    var live = LiveState()
    var allowances = UserAllowances()
    var isExpiryScheduled = false
    var isDepartureScheduled = false
    var isGuestScanScheduled = false
    var isSightingScheduled = false
    /// Guests found but not checked yet, and the last guest that the current scan has reached; `nil` between two scans.
    var guestsDue: ArraySlice<UserID> = []
    var lastGuest: UserID?
    var guestOrigins = GuestOrigins()
    var isFileExpiryScheduled = false
    var isFollowUpScheduled = false
    var deadlines = Deadlines()
    var isDeadlineScheduled = false
    var isErasureScheduled = false
    /// The scan for what names the user who is being deleted.
    var erasureScan: ErasureScan?
    /// Deletions that a restored backup does not know yet, whether the node that decides is to repeat some of them, and who
    /// waits for all.
    var overdueErasures: ArraySlice<ErasedUser> = []
    var isErasureRelayed = false
    var erasureWait: ErasureWait?
    var restoredPushes: RestoredPushes
    var isRestoredPushScheduled = false
    var sequence: UInt64 = 0
    /// The latest time given to a command; not every command leaves a record with its time.
    private var lastNow: Int64 = 0
    /// Whether a command's turn is in progress that has read the clock.
    var isTimeRead = false
    var ids: FreshIDs
    let log: any EventLog<Outcome>
    let publisher: Publisher
    let ports: [any DeliveryPort]
    let configured: ChatSettings
    /// The configured settings with the app's changes over them.
    var settings: ChatSettings
    let limits: Limits
    /// Milliseconds since 1970.
    let clock: @Sendable () -> Int64
    let waiting = Atomic<Int>(0)
    let metrics: EngineMetrics
    let work = WorkMeter()
    var budgets: WorkBudgets
    let backlog = PublisherBacklog()
    let debtors = Debtors()
    /// `nil` for a single server.
    var cluster: ClusterSide?
    /// `nil` for an engine that searches the texts themselves.
    let search: (any SearchPort)?
    /// What the records that are not appended yet change for the index.
    var searchChanges: [SearchChange] = []
    /// Searches that wait for the index, and how many of them each lane has.
    var searchCount = 0
    var searches: [Lane: Int] = [:]
    /// The payer of the current command; `announcedCost` is what its effects cost the publisher so far.
    var payer = Payer.server
    var sender: Sender?
    var announcedCost = 0
    /// The size of the blocks that are being read, in bytes.
    var loadingBytes = 0
    /// Commands and queries that wait until text rules are compiled; at most `limits.commandsWaiting`.
    var rulesWaiters: [@Sendable () -> Void] = []
    /// Damaged blocks that were counted.
    var damagedBlocks = 0
    /// Consulted wherever a client presents a token.
    package let revokedTokens = RevokedTokens()
    package let hook = CurrentHook()

    /// Creates the engine of an empty chat; `restore` loads what the log holds.
    ///
    /// - Parameters:
    ///   - queue: A serial queue used by nothing else.
    ///   - runsOnLoops: Whether a loop that finds the engine idle carries out brief commands itself.
    ///   - later: Schedules delayed work; defaults to the queue's own timers. A simulation passes its own clock.
    ///   - loader: Runs what reads from disk or computes for long, by default on a few threads.
    package init(
        log: any EventLog<Outcome>, publisher: Publisher, ports: [any DeliveryPort], settings: ChatSettings,
        limits: Limits = Limits(), search: (any SearchPort)? = nil, metrics factory: any MetricsFactory,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        queue: any SerialQueue = DispatchQueue(label: "belfry.chat"), runsOnLoops: Bool = false, later: Later? = nil,
        loader: (@Sendable (_ body: @escaping @Sendable () -> Void) -> Void)? = nil,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.queue = queue
        self.log = log
        self.ports = ports
        configured = settings
        self.settings = settings
        self.limits = limits
        self.clock = clock
        self.search = search
        self.loader = loader ?? { BlockLoader.standard($0) }
        restoredPushes = RestoredPushes(limit: limits.restoredPushes)
        ids = FreshIDs(random)
        metrics = EngineMetrics(factory)
        budgets = WorkBudgets(limits.budgets)
        // All log writes of a batch of commands share one sync.
        intake = BatchQueue(
            queue: queue,
            limits: BatchQueue.LaneLimits(count: limits.commandsWaitingPerUser, bytes: limits.bytesWaitingPerUser),
            runsOnCallers: runsOnLoops, clock: clock
        ) { isOnCaller, batch in log.batch(isFlushedByCaller: isOnCaller, batch) }
        timer =
            later ?? { [intake] milliseconds, body in
                // By way of the intake: a loop that enters the queue must not wait for what timers do there. A timer that
                // outlives the server must not keep its log.
                queue.after(milliseconds: milliseconds) { [weak intake] in intake?.post(.betweenBatches(body)) }
            }
        log.follow { [backlog] outcomes in
            if let search { Self.append(outcomes, to: search) }
            publisher.publish(outcomes)
            for outcome in outcomes { if let debt = outcome.debt { backlog.settle(debt) } }
        }
        self.publisher = publisher
    }

    // MARK: Callable from any queue

    /// - Parameters:
    ///   - admitsNewcomer: Whether an unknown caller is created by this command: a token vouches for its user, but a
    ///     user named by a server key must exist.
    ///   - bytes: The size of the command, charged to the user's byte budget.
    package func change(
        _ change: some Change, as caller: Caller, admitsNewcomer: Bool = true, bytes: Int = 0,
        answerTo address: ReturnAddress
    ) {
        enter(address, caller, admitsNewcomer, bytes: bytes, isBrief: type(of: change).isBrief) { engine in
            if engine.relays {
                engine.relay(change, as: caller, admitsNewcomer: admitsNewcomer, address)
                return nil
            }
            return engine.begin(change, as: caller, admitsNewcomer, address)
        }
    }

    package func attach(_ request: AttachRequest) {
        enter(request.address, .user(request.user), isBrief: true) { $0.beginWhenReadable(request) }
    }

    /// - Parameter command: The command's id on the connection.
    package func subscribe(
        _ user: UserID, to room: Room, _ request: SubscribeRequest, on connection: ConnectionID, command: UInt32,
        guestOrigin: GuestOrigin? = nil
    ) {
        let address = ReturnAddress(connection: connection, command: command, guestOrigin: guestOrigin)
        enter(address, .user(user), isBrief: true) { engine in
            let positions = request.recover.map { [room: $0] } ?? [:]
            return engine.whenReadable(
                .user(user), admitsNewcomer: false, seesLatest: true, positions: positions, address
            ) { engine in
                engine.subscribe(user, to: room, request, connection, command)
                return nil
            }
        }
    }

    /// Milliseconds until the user may send anything that costs work; nil for now, as far as the engine has found out.
    package func retryAfter(for user: UserID) -> Int64? { debtors.retryAfter(user, now: clock()) }

    /// Charges senders for deliveries to the many listeners of a room, which only the loops can count.
    package func charge(_ deliveries: [(sender: Sender, deliveries: Int)]) {
        runBetweenBatches {
            for (sender, count) in deliveries {
                let cost = count * WorkCost.delivery
                self.metrics.work.increment(by: cost)
                self.budgets.charge(Payers(sender), work: cost, bytes: 0, now: self.now())
            }
        }
    }

    /// Passes the ids of all uploads that are still referenced to `body`, on the engine's queue.
    package func withFileIDs(_ body: @escaping @Sendable (Set<FileID>) -> Void) {
        post { body($0.state.fileIDs) }
    }

    /// Runs on the engine's queue once all earlier commands are done and their records are in the log.
    package func barrier(_ body: @escaping @Sendable () -> Void) { intake.post(.barrier(body)) }

    /// Whether nothing is left to do on the engine's queue for now. Callable from any queue.
    package var isIdle: Bool { intake.isIdle }

    /// Runs on the engine's queue as soon as no batch is in progress, ahead of queued commands.
    package func runBetweenBatches(_ body: @escaping @Sendable () -> Void) { intake.post(.betweenBatches(body)) }

    // MARK: On `queue`

    /// Runs the engine's own work on `queue` after the given number of milliseconds, unless the engine is gone by then.
    func later(_ milliseconds: Int, _ body: @escaping @Sendable (ChatEngine) -> Void) {
        timer(milliseconds) { [weak self] in
            guard let self else { return }
            queue.check()
            body(self)
        }
    }

    private func subscribe(
        _ user: UserID, to room: Room, _ request: SubscribeRequest, _ connection: ConnectionID, _ command: UInt32
    ) {
        let standing: Result<RoomStanding, Rejection>
        do throws(Rejection) {
            if let refusal = state.refusal(of: .user(user), at: now()) { throw refusal }
            let found = try state.standing(of: user, in: room)
            chargeRecovery(of: found, from: request.recover)
            standing = .success(found)
        } catch {
            standing = .failure(error)
        }
        // Goes through the log even if nothing is pending, so that the grant is ordered with the events.
        log.mark(Outcome(effects: [], answer: .subscribe(connection, command: command, request, standing)))
    }

    func chargeRecovery(of standing: RoomStanding, from position: RoomPosition?) {
        guard let position, position.epoch == standing.epoch, position.offset < standing.offset else { return }
        work.charge(WorkCost.effect * Int(clamping: min(standing.offset - position.offset, 10_000)))
    }

    /// Why the caller may not call anything at all.
    func refusal(of caller: Caller, _ admitsNewcomer: Bool) -> Rejection? {
        if !admitsNewcomer, let user = caller.user, !state.knows(user) { return Rejection(.notFound, "user \(user)") }
        if let user = caller.user, user.isGuest, !guestSettings.isEnabled {
            return Rejection(.featureDisabled, "guests (guests.enabled)")
        }
        return state.refusal(of: caller, at: now())
    }

    func refuse(_ refusal: Rejection, _ address: ReturnAddress) {
        metrics.refusals.increment()
        answer(.failure(refusal), to: address)
    }

    func context(_ caller: Caller, _ survey: ChannelSurvey? = nil) -> Context {
        let now = now()
        return Context(
            caller: caller, now: now, freshID: ids.next(at: now), settings: settings, presence: live.presence,
            work: work, survey: survey)
    }

    /// Milliseconds since 1970; never goes backwards. Read once per turn of a command.
    func now() -> Int64 {
        if !isTimeRead { lastNow = max(clock(), state.lastAt, lastNow) }
        return lastNow
    }

    /// - Parameter frame: The frame of the earlier command, for effects that follow from one.
    func outcome(_ effects: [Effect], _ answer: Outcome.Pending?, after frame: UInt64? = nil) -> Outcome {
        var outcome = Outcome(effects: effects, answer: answer, earlierFrame: frame)
        outcome.debt = backlog.charge(announcedCost, to: payer)
        outcome.sender = sender
        outcome.freshID = ids.last
        return outcome
    }

    func charge(_ effects: [Effect]) {
        let cost = effects.reduce(0) { $0 + $1.cost }
        announcedCost += cost
        work.charge(cost)
    }

    func answer(_ answer: Answer, to address: ReturnAddress) {
        guard address.origin == nil, address.claim == nil else { return log.mark(logged(answer, to: address)) }
        if log.isSynced {
            deliver(answer, to: address)
        } else {
            log.mark(Outcome(effects: [], answer: .command(address, answer)))
        }
    }

    /// The outcome of a command that left no record, but that other nodes need to know: it goes into the cluster's log.
    private func logged(_ answer: Answer, to address: ReturnAddress) -> Outcome {
        var outcome = Outcome(effects: [], answer: .command(address, answer))
        outcome.freshID = ids.last
        return outcome
    }
}
