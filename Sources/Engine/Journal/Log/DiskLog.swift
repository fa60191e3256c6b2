import ChatDomain
import Dispatch
import Glibc
import Records
import Synchronization

/// An event log in a folder. It delivers an entry's note once the entry's frame is on disk.
///
/// Frames that arrive during a sync form the next batch and share its sync. A lock guards the pending frames: the
/// engine's queue appends them, and `queue` writes, syncs and delivers them. If the disk fails, delivery stops and
/// `failed` receives the error. The process must then exit: the kernel's view of the file cannot be trusted any more.
package final class DiskLog<Note: Sendable>: EventLog, @unchecked Sendable {
    /// Entries that share one write and one sync.
    private struct Batch {
        var notes: [Note] = []
        var payloads: [[UInt8]] = []

        /// Removes all entries; keeps the memory of a small batch for the next one.
        mutating func removeAll() {
            let isSmall = notes.count <= 64 && payloads.count <= 64
            notes.removeAll(keepingCapacity: isSmall)
            payloads.removeAll(keepingCapacity: isSmall)
        }
    }

    private struct Pending {
        var notes: [Note] = []
        var payloads: [[UInt8]] = []
        var bytes = 0
        var reserved = 0
        /// Reservations of encoded frames that wait for the shared log of a cluster, and their size.
        var encoded = 0
        var encodedBytes = 0
        /// The number of free bytes used by the current batch.
        var writing = 0
        var free = 0
        var lastSequence: UInt64
        var isScheduled = false
        /// Whether the caller's `flush` delivers the pending entries instead of `queue`.
        var isLeftToCaller = false
        /// The largest batch in bytes that may be left to a caller; 0 while the disk is slow or other work is due on
        /// `queue`.
        var room = 0
        var suspended = SuspendedCallers.nobody
        /// The counts at the start of a running `batch` body; `nil` if none is running. Earlier entries are still
        /// delivered in the meantime, so that an engine that is never idle does not block the log.
        var beforeHold: Count?
        var isRetrying = false
        /// Whether the log is closed or has failed; it then neither accepts nor delivers entries.
        var isOver = false

        /// - Parameter bytes: The size of the encoded frame; `nil` if the space was for any frame.
        mutating func release(_ bytes: Int?) {
            guard let bytes else { return reserved -= 1 }
            encoded -= 1
            encodedBytes -= bytes + FrameFormat.headerSize
        }

        /// - Returns: Whether the caller must dispatch `handOver`.
        mutating func schedule() -> Bool {
            guard beforeHold == nil, !isScheduled, !notes.isEmpty else { return false }
            isScheduled = true
            return true
        }

        /// Returns whether more entries remain after `flush`.
        mutating func reschedule() -> Bool {
            isScheduled = (beforeHold?.notes ?? notes.count) > 0 && !isOver
            return isScheduled
        }

        mutating func hold() { beforeHold = Count(notes: notes.count, payloads: payloads.count, bytes: bytes) }

        /// Moves the entries that may be written and delivered now into an empty batch.
        mutating func moveReady(to batch: inout Batch) {
            let all = Count(notes: notes.count, payloads: payloads.count, bytes: bytes)
            let ready = beforeHold ?? all
            isScheduled = ready.notes > 0 && !isOver
            writing = ready.bytes
            bytes -= ready.bytes
            if beforeHold != nil { beforeHold = Count(notes: 0, payloads: 0, bytes: 0) }
            guard ready.notes < all.notes else {
                swap(&notes, &batch.notes)
                swap(&payloads, &batch.payloads)
                return
            }
            batch.notes += notes.prefix(ready.notes)
            batch.payloads += payloads.prefix(ready.payloads)
            notes.removeFirst(ready.notes)
            payloads.removeFirst(ready.payloads)
        }
    }

    private struct Count {
        var notes: Int
        var payloads: Int
        var bytes: Int
    }

    /// A wrapper for a closure. Each access to a bare closure in a mutex would wrap it in another thunk, without limit.
    private struct Follower: Sendable {
        let receive: @Sendable ([Note]) -> Void
    }

    let disk: any Disk
    private let queue: any SerialQueue
    let options: JournalOptions
    private let failed: @Sendable (DiskError) -> Void
    let observer: JournalObserver
    private let later: Later
    private let pending: Mutex<Pending>
    private let synced: Atomic<UInt64>
    private let follower = Mutex<Follower?>(nil)
    /// Used only on `queue`; nil after `close` or a failure.
    private var writer: JournalWriter?
    private var isDirty = false
    /// Used only on `queue`.
    private var pace = WritePace()
    /// Used only on `queue`; empty except during `handOver`.
    private var batch = Batch()
    package let report: JournalReport

    /// Opens the journal in a folder, repairs it after a crash, and begins a new segment.
    ///
    /// - Parameters:
    ///   - queue: The serial queue on which the log calls its follower.
    ///   - later: Schedules delayed work, by default on `queue`. Simulations pass a function that uses their own clock.
    ///   - failed: Called once, on `queue`, if a write or sync fails.
    package init(
        _ disk: any Disk, queue: any SerialQueue, options: JournalOptions = JournalOptions(),
        observer: JournalObserver = JournalObserver(),
        salts: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), later: Later? = nil,
        failed: @escaping @Sendable (DiskError) -> Void
    ) throws(JournalError) {
        var salts = salts
        report = try JournalRecovery.repair(disk, salt: salts.next())
        let (next, salt) = (report.next, salts)
        let writer = try JournalError.wrapping { () throws(DiskError) in
            try JournalWriter(disk, next: next, options: options, salts: salt)
        }
        self.disk = disk
        self.queue = queue
        self.options = options
        self.failed = failed
        self.observer = observer
        self.later = later ?? { queue.after(milliseconds: $0, $1) }
        self.writer = writer
        pending = Mutex(Pending(free: writer.free, lastSequence: writer.next - 1))
        synced = Atomic(writer.next - 1)
    }

    package func reserve(isForServer: Bool) -> Reservation? {
        let (isFree, mustRetry) = pending.withLock { pending in
            guard !pending.isOver, pending.suspended < (isForServer ? .everybody : .users),
                pending.payloads.count + pending.reserved + pending.encoded < options.pendingFrames
            else { return (false, false) }
            let unknown = (pending.reserved + 1) * options.frameBytes
            let needed = pending.writing + pending.bytes + pending.encodedBytes + unknown
            guard needed <= pending.free else {
                defer { pending.isRetrying = true }
                return (false, !pending.isRetrying)
            }
            pending.reserved += 1
            return (true, false)
        }
        if mustRetry {
            later(options.retryMilliseconds) { self.retry() }
        }
        return isFree ? Reservation() : nil
    }

    /// Suspends or resumes reservations. Suspending them keeps the remaining disk space for snapshots and cleanup.
    package func suspendReservations(of callers: SuspendedCallers) {
        pending.withLock { $0.suspended = callers }
    }

    /// Whether reservations are suspended, or the last one found no space and none has been made since.
    package var isShort: Bool { pending.withLock { $0.suspended != .nobody || $0.isRetrying } }

    package func cancel(_ reservation: consuming Reservation) {
        let bytes = reservation.bytes
        pending.withLock { $0.release(bytes) }
    }

    /// Exchanges a reservation for any frame for one for an encoded frame, which takes less space while it waits.
    package func shrink(_ reservation: consuming Reservation, to bytes: Int) -> Reservation {
        pending.withLock { pending in
            pending.reserved -= 1
            pending.encoded += 1
            pending.encodedBytes += bytes + FrameFormat.headerSize
        }
        return Reservation(bytes: bytes)
    }

    /// Appends a frame whose records are encoded already.
    ///
    /// - Parameter payload: The result of `RecordCoder.encode`.
    package func append(
        _ payload: [UInt8]?, expecting sequence: UInt64, note: Note, in reservation: consuming Reservation
    ) {
        guard let payload, !payload.isEmpty, payload.count <= FrameFormat.limit else {
            // The caller did not check `fits`, or `fits` is wrong. The state is now ahead of the disk and must not be
            // published. Fail, so that the process restarts from the disk.
            queue.async { self.fail(DiskError(operation: "append", path: "a frame", code: EFBIG)) }
            return
        }
        let reserved = reservation.bytes
        add(note) { pending in
            precondition(sequence == pending.lastSequence + 1, "a second writer")
            pending.lastSequence = sequence
            pending.release(reserved)
            pending.payloads.append(payload)
            pending.bytes += payload.count + FrameFormat.headerSize
        }
    }

    /// The number of frames reserved or waiting to be written; at most `JournalOptions.pendingFrames`.
    package var pendingCount: Int { pending.withLock { $0.payloads.count + $0.reserved + $0.encoded } }

    package func mark(_ note: Note) { add(note) { _ in } }

    package func batch(isFlushedByCaller: Bool, _ body: () -> Void) {
        pending.withLock { $0.hold() }
        body()
        let mustSchedule = pending.withLock { pending in
            pending.beforeHold = nil
            guard pending.schedule() else { return false }
            pending.isLeftToCaller = isFlushedByCaller && pending.bytes <= pending.room
            return !pending.isLeftToCaller
        }
        if mustSchedule { queue.async { self.handOver() } }
    }

    package func flush() {
        let isLeft = pending.withLock { pending in
            defer { pending.isLeftToCaller = false }
            return pending.isLeftToCaller
        }
        guard isLeft else { return }
        queue.enter {
            handOver(isOnCaller: true)
            if pending.withLock({ $0.reschedule() }) { queue.async { self.handOver() } }
        }
    }

    package var isSynced: Bool { pending.withLock { $0.notes.isEmpty && !$0.isScheduled && !$0.isOver } }

    package func follow(_ follower: @escaping @Sendable ([Note]) -> Void) {
        self.follower.withLock { $0 = Follower(receive: follower) }
    }

    /// The number of the last appended frame.
    package var lastAppended: UInt64 { pending.withLock(\.lastSequence) }

    /// The number of the last frame that is durable: synced, or with `Durability.none` written. Callable from any queue.
    package var lastSynced: UInt64 { synced.load(ordering: .relaxed) }

    /// Closes the current segment so that its frames can go into a snapshot. Does nothing if there is no space for
    /// another segment.
    package func rotate(_ done: @escaping @Sendable () -> Void = {}) {
        pending.withLock { $0.room = 0 }
        queue.async {
            defer { done() }
            self.prepareSpare()
            guard self.writer?.hasSpare ?? false else { return }
            let closed = self.writer?.closedBytes ?? 0
            do throws(DiskError) { try self.writer?.rotate() } catch { self.fail(error) }
            self.reportClosed(since: closed)
            self.updateFreeSpace()
        }
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            self.handOver()
            if var writer = self.writer {
                self.writer = nil
                do throws(DiskError) { try writer.seal() } catch { self.fail(error) }
            }
            self.pending.withLock { $0.isOver = true }
            done()
        }
    }

    private func add(_ note: Note, _ count: (inout Pending) -> Void) {
        let mustSchedule = pending.withLock { pending in
            count(&pending)
            pending.notes.append(note)
            return pending.schedule()
        }
        if mustSchedule { queue.async { self.handOver() } }
    }

    // MARK: On `queue`

    /// - Parameter isOnCaller: Whether a caller's thread is waiting. Then only one batch is written, and long
    ///   operations are deferred.
    private func handOver(isOnCaller: Bool = false) {
        queue.check()
        let follower = follower.withLock { $0 }
        repeat {
            // Entries of a running `batch` are dispatched when its body ends.
            pending.withLock { $0.moveReady(to: &batch) }
            if batch.notes.isEmpty { return }
            defer { batch.removeAll() }
            guard persist(batch.payloads, isOnCaller: isOnCaller) else { return }
            follower?.receive(batch.notes)
        } while !isOnCaller
    }

    /// - Returns: False if the disk has failed, now or earlier.
    private func persist(_ payloads: [[UInt8]], isOnCaller: Bool) -> Bool {
        guard !payloads.isEmpty else { return pending.withLock { !$0.isOver } }
        guard writer != nil else { return false }
        do throws(DiskError) {
            let began = DispatchTime.now().uptimeNanoseconds
            let closed = writer?.closedBytes ?? 0
            try writer?.write(payloads)
            if options.durability == .fsync { try writer?.sync() } else { syncLater() }
            if options.durability != .interval { recordSync() }
            reportClosed(since: closed)
            let nanoseconds = DispatchTime.now().uptimeNanoseconds &- began
            observer.batch(frames: payloads.count, nanoseconds: nanoseconds)
            pace.record(nanoseconds)
        } catch {
            fail(error)
            return false
        }
        if isOnCaller {
            updateFreeSpace()
            if writer?.wantsSpare ?? false { queue.async { self.refillSpare() } }
        } else {
            refillSpare()
        }
        return true
    }

    private func refillSpare() {
        if writer?.wantsSpare ?? false { prepareSpare() }
        updateFreeSpace()
    }

    private func reportClosed(since before: Int) {
        if let closed = writer?.closedBytes, closed > before { observer.segment(bytes: closed - before) }
    }

    private func syncLater() {
        guard options.durability == .interval, !isDirty else { return }
        isDirty = true
        later(options.syncMilliseconds) {
            self.queue.check()
            self.isDirty = false
            do throws(DiskError) { try self.writer?.sync() } catch { return self.fail(error) }
            self.recordSync()
        }
    }

    private func recordSync() {
        if let writer { synced.store(writer.next - 1, ordering: .relaxed) }
    }

    /// Prepares a spare segment. A failure is not fatal: commands are refused once the current segment is full.
    private func prepareSpare() {
        do throws(DiskError) {
            try writer?.prepareSpare()
            observer.space(isShort: false)
        } catch {
            observer.space(isShort: true)
        }
    }

    private func retry() {
        queue.check()
        prepareSpare()
        updateFreeSpace()
        pending.withLock { $0.isRetrying = false }
    }

    private func updateFreeSpace() {
        let free = writer?.free ?? 0
        let room = pace.isQuick ? min(writer?.room ?? 0, options.bytesOnCaller) : 0
        pending.withLock { pending in
            pending.free = free
            pending.writing = 0
            pending.room = room
        }
    }

    private func fail(_ error: DiskError) {
        writer = nil
        let isFirst = pending.withLock { pending in
            defer { pending.isOver = true }
            return !pending.isOver
        }
        if isFirst { failed(error) }
    }
}
