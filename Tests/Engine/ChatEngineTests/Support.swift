import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import Gateway
import Journal
import Synchronization
import TestSupport
import Testing
import WireProtocol

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

extension ChannelID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = ChannelID(text) else { preconditionFailure("not a channel id") }
        self = id
    }
}

let ann: UserID = "ann"
let bob: UserID = "bob"
let general: ChannelID = "general"

/// An event log that the test syncs and that records its input.
final class HandDrivenLog: EventLog {
    struct Contents: Sendable {
        var frames: [[Record]] = []
        var waiting: [Outcome] = []
        /// The last fresh id of each frame.
        var ids: [UInt64: MessageID] = [:]
        var free = Int.max
        /// The number of records that fit into a frame.
        var largestFrame = Int.max
        var reserved = 0
        var isForServerOnly = false
        /// Whether another node decides; the log then accepts only what that node decided.
        var isFollowing = false
    }

    let queue = DispatchQueue(label: "log")
    private let contents: Mutex<Contents>
    private let follower = Mutex<(@Sendable ([Outcome]) -> Void)?>(nil)

    /// The number of leading frames that are already in the state.
    private let baseFrames: Int
    private let firstOfLast: UInt64
    private let shelf: BodyShelf?

    /// - Parameters:
    ///   - firstOfLast: The first of the frames within the limit of recoverable bytes.
    ///   - shelf: Where the bodies of the state are; `nil` for memory.
    init(frames: [[Record]] = [], base: Int = 0, firstOfLast: UInt64 = 1, shelf: BodyShelf? = nil) {
        self.firstOfLast = firstOfLast
        self.shelf = shelf
        contents = Mutex(Contents(frames: frames))
        baseFrames = base
    }

    func reserve(isForServer: Bool) -> Reservation? {
        let isFree = contents.withLock { contents in
            guard contents.reserved < contents.free, isForServer || !contents.isForServerOnly, !contents.isFollowing
            else { return false }
            contents.reserved += 1
            return true
        }
        return isFree ? Reservation() : nil
    }

    func fits(_ records: [Record]) -> Bool { contents.withLock { records.count <= $0.largestFrame } }

    func cancel(_ reservation: consuming Reservation) { contents.withLock { $0.reserved -= 1 } }

    func append(
        _ records: [Record], expecting sequence: UInt64, note: Outcome, in reservation: consuming Reservation
    ) {
        contents.withLock { contents in
            contents.frames.append(records)
            #expect(sequence == UInt64(contents.frames.count))
            #expect(!records.isEmpty)
            contents.ids[sequence] = note.freshID
            if !contents.isFollowing { contents.reserved -= 1 }
            contents.waiting.append(note)
        }
    }

    func mark(_ note: Outcome) { contents.withLock { $0.waiting.append(note) } }

    var isSynced: Bool { contents.withLock { $0.waiting.isEmpty } }

    func follow(_ follower: @escaping @Sendable ([Outcome]) -> Void) { self.follower.withLock { $0 = follower } }

    func close(_ done: @escaping @Sendable () -> Void) { queue.async(execute: done) }

    func base() throws -> (state: ChatState, sequence: UInt64) {
        let state = ChatState()
        for record in frames.prefix(baseFrames).joined() { state.evolve(record) }
        guard let shelf else { return (state, UInt64(baseFrames)) }
        let stored = ChatState(blocks: BlockCache(reader: shelf))
        for part in shelf.store(state).parts { try stored.load(part) }
        return (stored, UInt64(baseFrames))
    }

    var lastSequence: UInt64 { UInt64(contents.withLock(\.frames.count)) }

    func first(ofLastBytes bytes: Int) -> UInt64 { firstOfLast }

    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) rethrows {
        for (index, records) in contents.withLock(\.frames).enumerated() where index + 1 >= sequence {
            try body(UInt64(index + 1), records)
        }
    }

    // MARK: The test's hand

    var pending: [Outcome] { contents.withLock(\.waiting) }

    /// Makes all pending items durable, or the first `count`.
    func sync(first count: Int = .max) {
        queue.sync {
            let notes = contents.withLock { contents in
                let notes = Array(contents.waiting.prefix(count))
                contents.waiting.removeFirst(notes.count)
                return notes
            }
            if !notes.isEmpty { follower.withLock(\.self)?(notes) }
        }
    }

    func limitFrames(to records: Int) { contents.withLock { $0.largestFrame = records } }
    func fill() { contents.withLock { $0.free = 0 } }
    func keepForServer() { contents.withLock { $0.isForServerOnly = true } }
    func setFollowing(_ isFollowing: Bool) { contents.withLock { $0.isFollowing = isFollowing } }
    func empty() { contents.withLock { $0.free = .max } }
    var frames: [[Record]] { contents.withLock(\.frames) }
    var ids: [UInt64: MessageID] { contents.withLock(\.ids) }
    var reserved: Int { contents.withLock(\.reserved) }
}

/// A record of what has reached one loop, in words.
final class LoopEar: DeliveryPort {
    private let words = Mutex<[String]>([])
    private let posts = Mutex(0)
    private let missed = Mutex<[EncodedEvent]>([])
    /// Whether the loop is in a turn that may post more.
    let defersWakes = Mutex(false)
    /// The backlog of a slow loop.
    let waiting = Mutex(0)
    var waitingCount: Int { waiting.withLock(\.self) }

    func deferWake() -> Bool { defersWakes.withLock(\.self) }

    func deliver(_ batch: [Delivery]) {
        posts.withLock { $0 += 1 }
        let grants = batch.flatMap { delivery -> [RoomGrant] in
            switch delivery {
            case .attached(_, _, let attachment): attachment.grants
            case .subscribed(_, _, .success(let grant)): [grant]
            default: [RoomGrant]()
            }
        }
        for case .recovered(let events) in grants.map(\.recovery) { missed.withLock { $0 += events } }
        for case .published(_, let event) in batch { senders.withLock { $0.append(event.sender) } }
        words.withLock { $0 += batch.map(word) }
    }

    /// The user charged for each received event.
    let senders = Mutex<[Sender?]>([])

    var heard: [String] { words.withLock(\.self) }
    /// Returns everything recovered since the last call, each event in both forms.
    func recovered() -> [EncodedEvent] {
        missed.withLock { missed in
            defer { missed = [] }
            return missed
        }
    }

    var postCount: Int { posts.withLock(\.self) }

    /// Returns everything received since the last call.
    func news() -> [String] {
        words.withLock { words in
            defer { words = [] }
            return words
        }
    }
}

private func word(_ delivery: Delivery) -> String {
    switch delivery {
    case .published(let room, let event):
        guard let message = try? ServerMessage.decode(event.json).first,
            case .push(room.name, .publication(let publication)) = message,
            let type = try? JSONFields(publication.data).string("type")
        else { return "unreadable" }
        return "\(room) \(publication.offset) \(type)"
    case .gained(let user, let grant): return "gained \(user) \(word(grant))"
    case .disconnected(let user): return "disconnected \(user)"
    case .tokensRevoked(let user, let second): return "revoked \(user) \(second)"
    case .lost(let user, let room): return "lost \(user) \(room)"
    case .guestsLost(let room): return "lost guests \(room)"
    case .closed(let room): return "closed \(room)"
    case .narrowed(let user, let room, let start): return "narrowed \(user) \(room) \(start)"
    case .attached(_, let command, let attachment):
        return "attached \(command) \(attachment.user.id) " + attachment.grants.map(word).joined(separator: " ")
    case .subscribed(_, let command, .success(let grant)): return "subscribed \(command) \(word(grant))"
    case .subscribed(_, let command, .failure(let rejection)):
        return "subscribed \(command) \(rejection.code.rawValue)"
    case .answered(_, let command, .success): return "answer \(command)"
    case .answered(_, let command, .failure(let rejection)): return "answer \(command) \(rejection.code.rawValue)"
    }
}

private func word(_ grant: RoomGrant) -> String {
    let place = "\(grant.room)@\(grant.position.offset)"
    switch grant.recovery {
    case .notRequested: return place
    case .impossible: return place + " impossible"
    case .recovered(let missed): return place + " recovered \(missed.map(\.offset))"
    }
}

/// A chat engine with a log driven by the test, and with recorders for its output.
final class Bench: Sendable {
    let log: HandDrivenLog
    let ears: [LoopEar]
    let publisher: Publisher
    let engine: ChatEngine
    var ear: LoopEar { ears[0] }

    init(
        loops: Int = 1, log: HandDrivenLog = HandDrivenLog(), settings: ChatSettings = ChatSettings(),
        commandsWaiting: Int = 1_000, deliveriesWaiting: Int = 1_000, recoverableFrames: Int = 100_000,
        restoredPushes: Int = 100_000, webhooks: (any WebhookPort)? = nil, search: (any SearchPort)? = nil,
        removeFiles: @escaping @Sendable ([FileID]) -> Void = { _ in },
        recordErasure: @escaping @Sendable (ErasureStep) -> Void = { _ in },
        later: ChatEngine.Later? = nil, loader: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil,
        bodyBytes: Int = .max, blockLoadingBytes: Int = .max,
        clock: @escaping @Sendable () -> Int64 = { 1_780_000_000_000 }
    ) {
        self.log = log
        ears = (0..<loops).map { _ in LoopEar() }
        publisher = Publisher(
            queue: log.queue, ports: ears, rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance,
            webhooks: webhooks, removeFiles: removeFiles, recordErasure: recordErasure)
        var limits = ChatEngine.Limits()
        limits.commandsWaiting = commandsWaiting
        limits.deliveriesWaiting = deliveriesWaiting
        limits.recoverableFrames = recoverableFrames
        limits.restoredPushes = restoredPushes
        (limits.bodyBytes, limits.blockLoadingBytes) = (bodyBytes, blockLoadingBytes)
        engine = ChatEngine(
            log: log, publisher: publisher, ports: ears, settings: settings, limits: limits, search: search,
            metrics: NOOPMetricsHandler.instance, random: SeededGenerator(seed: 1), later: later,
            loader: loader, clock: clock)
        do { try engine.restore() } catch { Issue.record(error) }
    }

    func address(_ command: UInt32, loop: Int = 0) -> ReturnAddress {
        ReturnAddress(connection: ConnectionID(loop: loop, serial: 1), command: command)
    }

    /// Waits until every command so far has been decided.
    func settle() {
        let done = DispatchSemaphore(value: 0)
        engine.barrier { done.signal() }
        #expect(done.wait(timeout: .now() + .seconds(10)) == .success)
    }

    /// Waits until the engine has nothing left to do but what waits for the disk, or for text rules.
    func pause() {
        let done = DispatchSemaphore(value: 0)
        for _ in 1...3 {
            engine.runBetweenBatches { done.signal() }
            #expect(done.wait(timeout: .now() + .seconds(10)) == .success)
        }
    }

    func change(_ change: some Change, as user: UserID, _ command: UInt32 = 1, loop: Int = 0) {
        engine.change(change, as: .user(user), answerTo: address(command, loop: loop))
        settle()
    }

    func query(_ query: some Query, as user: UserID, _ command: UInt32 = 1, loop: Int = 0) {
        engine.query(query, as: .user(user), answerTo: address(command, loop: loop))
        settle()
    }

    func attach(
        _ user: UserID, _ command: UInt32 = 1, loop: Int = 0, subscribe: ConnectRequest.Subscribe = .joined,
        from positions: [Room: RoomPosition] = [:], issuedAt: Int64? = nil
    ) {
        engine.attach(
            AttachRequest(
                connection: ConnectionID(loop: loop, serial: 1), command: command,
                identity: Identity(user: user, validFor: nil, issuedAt: issuedAt),
                subscribe: subscribe, positions: positions))
        settle()
    }

    func detach(_ user: UserID) {
        engine.detach(user, on: 0)
        settle()
    }

    func subscribe(
        _ user: UserID, to room: Room, _ command: UInt32, from position: RoomPosition? = nil, rejects: Bool = false
    ) {
        engine.subscribe(
            user, to: room,
            SubscribeRequest(channel: room.name, recover: position, rejectUnrecovered: rejects),
            on: ConnectionID(loop: 0, serial: 1), command: command)
        settle()
    }

    /// Returns the room's current epoch.
    func epoch(of room: Room) -> String {
        var epoch = ""
        for record in log.frames.joined() {
            if case .channelCreated(let created) = record.event, room == .channel(created.id) { epoch = created.epoch }
            if case .userCreated(let created) = record.event, room == .inbox(created.id) { epoch = created.inboxEpoch }
        }
        return epoch
    }
}
