import ChatDomain
import DequeModule
import Gateway
import Journal
import Records
import Synchronization

/// The event log of a cluster's node: the log that all nodes share, and the node's own journal as its mirror.
///
///     writer     append → shared log, one message at a time ⇒ stored → journal ⇒ written → follower
///     others     frames of the shared log → the engine applies and appends them → journal ⇒ written → follower
///
/// Only the writer may reserve space, so only its engine decides. A frame enters the journal once the shared log has it, and
/// so does everything that waits behind it.
///
/// The engine's queue appends under a lock; `queue` does the rest.
package final class ReplicatedLog<Note: Sendable>: EventLog, @unchecked Sendable {
    private enum Item {
        case frame(LogFrame, Note)
        case mark(Note)
    }

    private struct State {
        var role = Role.follower
        /// What the engine appended and `queue` has not taken over yet.
        var arrived: [Item] = []
        /// Frames of the shared log on their way through the engine into the journal.
        var following: Deque<[UInt8]> = []
        /// Everything that is not in the journal yet.
        var unfinished = 0
        var isHeld = false
        var isScheduled = false
        /// Whether the oldest frame has waited so long that no further changes are accepted.
        var isStalled = false
        /// Whether the node hands over, so that its engine must not decide any more.
        var isRefusing = false
        /// Reservations of commands that are being decided.
        var reserved = 0
        /// The version of the records that this node writes.
        var recordVersion = RecordCoder.oldestWritten
    }

    private enum Role { case follower, writer, deposed }

    /// How long a question for the last frame waits: the node that asks goes on without an answer after a second.
    private static var questionMilliseconds: Int64 { 800 }

    let journal: DiskLog<Note>
    private let store: any LogStore
    private let queue: any SerialQueue
    private let tag: @Sendable (Note) -> LogFrame.Tag
    private let messageLimit: Int
    /// Milliseconds; never goes back.
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())
    /// The last frame of this node's term, or before it, that is in the shared log. Used only on `queue`.
    private var lastStored: UInt64 = 0
    /// Used only on `queue`: the frames of this node's term, and everything behind the first of them.
    private var appends: AppendQueue?
    /// Tells replies to the current candidacy from those to earlier ones.
    private var candidacy = 0
    private var waiting: Deque<Item> = []
    /// Who wants to know the last frame that any node may have acknowledged, and since when. Used only on `queue`.
    private var questions: [(since: Int64, done: @Sendable (UInt64) -> Void)] = []
    /// How many of the first frames in `waiting` were reported as late.
    private var lateCount = 0
    private let events: Events

    /// - Parameters:
    ///   - queue: A serial queue; the owner of the log uses it too.
    ///   - tag: Identifies the command of a note.
    ///   - messageLimit: The greatest size of a message in bytes; smaller in tests.
    package init(
        journal: DiskLog<Note>, store: any LogStore, queue: any SerialQueue, events: Events,
        tag: @escaping @Sendable (Note) -> LogFrame.Tag, messageLimit: Int = LogMessage.sizeLimit,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.journal = journal
        self.store = store
        self.queue = queue
        self.events = events
        self.tag = tag
        self.messageLimit = messageLimit
        self.clock = clock
    }

    // MARK: EventLog

    package func reserve(isForServer: Bool) -> Reservation? {
        let isOpen = state.withLock { state in
            guard state.role == .writer, !state.isStalled, !state.isRefusing else { return false }
            state.reserved += 1
            return true
        }
        guard isOpen else { return nil }
        guard let reservation = journal.reserve(isForServer: isForServer) else {
            state.withLock { $0.reserved -= 1 }
            return nil
        }
        return reservation
    }

    package func cancel(_ reservation: consuming Reservation) {
        state.withLock { $0.reserved -= 1 }
        journal.cancel(reservation)
    }

    package func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation
    ) {
        let (role, followed, version) = state.withLock { ($0.role, $0.following.popFirst(), $0.recordVersion) }
        switch role {
        // A frame from the shared log, which the engine has applied.
        case .follower:
            journal.append(followed, expecting: sequence, note: note, in: Reservation(bytes: followed?.count))
        case .writer:
            let payload = RecordCoder.encode(records, version: version)
            let frame = LogFrame(tag(note), payload: payload ?? [])
            // The engine did not check `fits`. Its state is now ahead of all logs, so the journal fails.
            guard frame.isNumbered, frame.fits else {
                return journal.append(nil, expecting: sequence, note: note, in: reservation)
            }
            // Appended with it in `finish`.
            _ = journal.shrink(reservation, to: frame.payload.count)
            add(.frame(frame, note), reserved: 1)
        // Nobody will ever see it.
        case .deposed: cancel(reservation)
        }
    }

    package func mark(_ note: Note) {
        let (role, isFree) = state.withLock { ($0.role, $0.unfinished == 0) }
        switch role {
        case .deposed: break
        case .follower: journal.mark(note)
        case .writer:
            let tag = tag(note)
            // Other nodes need it, so it goes into the shared log although it has no records.
            if tag.isShared { return add(.frame(LogFrame(tag, payload: []), note)) }
            if isFree { journal.mark(note) } else { add(.mark(note)) }
        }
    }

    package func batch(isFlushedByCaller: Bool, _ body: () -> Void) {
        state.withLock { $0.isHeld = true }
        journal.batch(isFlushedByCaller: isFlushedByCaller, body)
        schedule { $0.isHeld = false }
    }

    package var isSynced: Bool {
        state.withLock { $0.unfinished == 0 && $0.role != .deposed } && journal.isSynced
    }

    /// - Parameter reservations: The number of reservations that the item uses.
    private func add(_ item: Item, reserved reservations: Int = 0) {
        schedule { state in
            state.reserved -= reservations
            guard state.role == .writer else { return }
            state.arrived.append(item)
            state.unfinished += 1
        }
    }

    private func schedule(_ change: (inout State) -> Void) {
        let mustSchedule = state.withLock { state in
            change(&state)
            guard !state.isHeld, !state.isScheduled, !state.arrived.isEmpty else { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.handOver() } }
    }

    // MARK: On `queue`

    /// Reserves space in the journal for a frame of the shared log, which the engine then applies and appends. Call it in
    /// the order of the frames.
    ///
    /// - Returns: False if there is no space.
    package func reserve(following payload: [UInt8]) -> Bool {
        guard let reservation = journal.reserve(isForServer: true) else { return false }
        _ = journal.shrink(reservation, to: payload.count)
        state.withLock { $0.following.append(payload) }
        return true
    }

    /// Appends the start of a term.
    ///
    /// - Parameter recordVersion: The version of the records that this node writes, until it is raised.
    package func startTerm(cluster: String, writer: NodeID, after end: LogEnd, recordVersion: UInt32) {
        queue.check()
        candidacy += 1
        lastStored = end.lastFrame
        appends = AppendQueue(
            cluster: cluster, writer: writer, after: end, recordVersion: recordVersion, sizeLimit: messageLimit)
        state.withLock { $0.recordVersion = recordVersion }
        drive()
    }

    /// The version of the records that this node writes, if it is the writer.
    package var recordVersion: UInt32 { state.withLock(\.recordVersion) }

    /// Writes records of this version from now on, if it is newer than before.
    package func raise(recordVersion version: UInt32) {
        queue.check()
        guard version > recordVersion else { return }
        // First: a message must not contain records that are newer than it tells.
        appends?.raise(recordVersion: version)
        state.withLock { $0.recordVersion = version }
    }

    /// Gives up a term that is not in the log, because another node's is.
    package func withdraw() {
        queue.check()
        appends = nil
    }

    /// Whether the engine decides.
    var isWriter: Bool { state.withLock { $0.role == .writer } }

    /// The node's term is in the log, and the engine has applied everything before it: lets the engine decide.
    package func becomeWriter() {
        queue.check()
        state.withLock { $0.role = .writer }
    }

    /// Finds the last frame that any node may have acknowledged. Another node may see a message before this one knows that it
    /// is stored, so this waits for a message under way, but not much longer than a reply usually takes.
    package func findLastFrame(_ done: @escaping @Sendable (UInt64) -> Void) {
        queue.check()
        guard appends?.isUnderWay == true else { return done(lastStored) }
        questions.append((clock(), done))
    }

    private func answerQuestions(olderThan age: Int64 = 0) {
        let now = clock()
        let due = questions.prefix { now - $0.since >= age }
        questions.removeFirst(due.count)
        for question in due { question.done(lastStored) }
    }

    /// Stops the engine from deciding. Nothing that waits is ever published.
    package func stepDown() {
        queue.check()
        state.withLock { state in
            state.role = .deposed
            // Marks may show what was never stored.
            state.arrived = []
        }
        appends = nil
        waiting = []
        questions = []
    }

    /// Reservations are not accepted while the node hands over.
    package func setAcceptsReservations(_ accepts: Bool) {
        queue.check()
        state.withLock { $0.isRefusing = !accepts }
    }

    /// Another node's term began after this node has handed over, with nothing left to store.
    package func becomeFollower() {
        queue.check()
        state.withLock { $0.role = .follower }
        appends = nil
    }

    /// When the last message was made that the shared log has stored. Used only on `queue`.
    var confirmed: Int64? { appends?.confirmed }

    /// Whether the engine decides on nothing, and everything that it has decided is in the log.
    package var isSettled: Bool { state.withLock { $0.reserved == 0 && $0.unfinished == 0 } }

    /// Repeats requests whose pause is over, and reports frames that have waited too long. Call this every 50 ms or so.
    package func tick() {
        queue.check()
        drive()
        reportLate()
        answerQuestions(olderThan: Self.questionMilliseconds)
    }

    private func reportLate() {
        let count = appends?.count(olderThan: AppendQueue.answerAge, at: clock()) ?? 0
        guard count > lateCount else { return }
        let notes = waiting.lazy.compactMap { item -> Note? in if case .frame(_, let note) = item { note } else { nil }
        }
        let late = Array(notes.prefix(count).dropFirst(lateCount))
        lateCount = count
        events.late(late)
    }

    private func handOver() {
        let arrived = state.withLock { state in
            state.isScheduled = false
            defer { state.arrived = [] }
            return state.arrived
        }
        for item in arrived {
            if case .frame(let frame, _) = item { appends?.append(frame, at: clock()) }
            waiting.append(item)
        }
        // Marks from when the frames before them were already stored.
        finish(frames: 0, numbered: 0, last: 0)
        drive()
    }

    private func drive() {
        while let request = appends?.next(at: clock()) {
            let (candidacy, number) = (candidacy, appends?.numberUnderWay)
            switch request {
            case .append(let message, let last, let id):
                store.append(message, expecting: last, id: id) { outcome in
                    self.proceed(candidacy, number) { $0.appended(outcome, at: $1) }
                }
            case .read(let number):
                store.read(from: number, bytes: 1) { result in
                    self.proceed(candidacy, number) { $0.read(result, at: $1) }
                }
            }
        }
        let age = appends?.oldestAge(at: clock()) ?? 0
        state.withLock { $0.isStalled = age > AppendQueue.refusalAge }
    }

    /// Receives a message of the shared log, from whatever source. If it is the one that this node appends, it is stored.
    package func saw(_ entry: LogEntry) {
        queue.check()
        guard appends?.numberUnderWay == entry.number else { return }
        proceed { appends, _ in appends.saw(entry) }
    }

    /// Reports a reply to a request for a message. Callable from any queue.
    private func proceed(
        _ candidacy: Int, _ number: UInt64?,
        _ report: @escaping @Sendable (inout AppendQueue, _ now: Int64) -> AppendQueue.Progress
    ) {
        queue.async {
            // A late reply says nothing about the next message.
            guard candidacy == self.candidacy, number == self.appends?.numberUnderWay else { return }
            self.proceed(report)
        }
    }

    private func proceed(_ report: (inout AppendQueue, _ now: Int64) -> AppendQueue.Progress) {
        guard var appends else { return }
        // A second reference would copy what waits.
        self.appends = nil
        let progress = report(&appends, clock())
        self.appends = appends
        proceed(progress)
    }

    private func proceed(_ progress: AppendQueue.Progress) {
        switch progress {
        case .stored(let entry, let frames):
            if let last = frames.last {
                lastStored = last.number
                finish(frames: frames.count, numbered: frames.count { $0.frame.isNumbered }, last: last.number)
            }
            answerQuestions()
            events.stored(entry)
            drive()
        case .lost:
            appends = nil
            events.lost()
        case .waiting: drive()
        }
    }

    /// Moves stored frames, and everything up to the next one that is not stored, into the journal.
    ///
    /// - Parameters:
    ///   - numbered: How many of these frames have a number.
    ///   - last: The number of the last of them.
    private func finish(frames count: Int, numbered: Int, last: UInt64) {
        var number = last - UInt64(numbered)
        var (left, moved) = (count, 0)
        loop: while let item = waiting.first {
            switch item {
            case .frame(let frame, let note):
                guard left > 0 else { break loop }
                left -= 1
                guard frame.isNumbered else {
                    journal.mark(note)
                    break
                }
                number += 1
                // Reserved when the engine decided.
                journal.append(
                    frame.payload, expecting: number, note: note, in: Reservation(bytes: frame.payload.count))
            case .mark(let note): journal.mark(note)
            }
            waiting.removeFirst()
            moved += 1
        }
        lateCount = max(0, lateCount - (count - left))
        if moved > 0 { state.withLock { $0.unfinished -= moved } }
    }
}
