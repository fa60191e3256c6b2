import ChatDomain
import Dispatch
import Synchronization

package struct MemoryLogLimits: Sendable, Equatable {
    /// Frames reserved or waiting to be durable; beyond it commands are refused with 1040.
    package var pendingFrames = 65_536
    package init() {}
}

/// An event log that forgets: the commit path in its final shape, with nothing behind it that outlives the process.
///
/// Frames that queue up while one batch is handed over form the next batch, as they will share one sync. The pending
/// frames stand under a lock because two queues meet in them: the engine appends, `queue` hands over.
package final class MemoryLog<Note: Sendable>: EventLog {
    private struct Pending {
        var notes: [Note] = []
        var frames = 0
        var reserved = 0
        var lastSequence: UInt64 = 0
        var isScheduled = false
    }

    /// A box around the closure: a mutex of a bare closure wraps it in one more thunk each time it is looked at, without
    /// end.
    private struct Follower: Sendable {
        let hear: @Sendable ([Note]) -> Void
    }

    private let queue: DispatchQueue
    private let limits: MemoryLogLimits
    private let pending = Mutex(Pending())
    private let follower = Mutex<Follower?>(nil)

    /// - Parameter queue: The serial queue on which the follower is called.
    package init(queue: DispatchQueue, limits: MemoryLogLimits = MemoryLogLimits()) {
        self.queue = queue
        self.limits = limits
    }

    package func reserve() -> Reservation? {
        let isFree = pending.withLock { pending in
            guard pending.frames + pending.reserved < limits.pendingFrames else { return false }
            pending.reserved += 1
            return true
        }
        return isFree ? Reservation() : nil
    }

    package func cancel(_ reservation: consuming Reservation) {
        pending.withLock { $0.reserved -= 1 }
    }

    package func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation
    ) {
        add(note) { pending in
            precondition(sequence == pending.lastSequence + 1, "a second writer")
            pending.lastSequence = sequence
            pending.reserved -= 1
            pending.frames += 1
        }
    }

    package func mark(_ note: Note) { add(note) { _ in } }

    package var isSynced: Bool { pending.withLock { $0.notes.isEmpty && !$0.isScheduled } }

    package func follow(_ follower: @escaping @Sendable ([Note]) -> Void) {
        self.follower.withLock { $0 = Follower(hear: follower) }
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            self.handOver()
            done()
        }
    }

    package var lastSequence: UInt64 { 0 }

    package func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) {}

    private func add(_ note: Note, _ count: (inout Pending) -> Void) {
        let mustSchedule = pending.withLock { pending in
            count(&pending)
            pending.notes.append(note)
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if mustSchedule { queue.async { self.handOver() } }
    }

    private func handOver() {
        let follower = follower.withLock { $0 }
        while true {
            let notes = pending.withLock { pending in
                let notes = pending.notes
                pending.notes = []
                pending.frames = 0
                pending.isScheduled = !notes.isEmpty
                return notes
            }
            if notes.isEmpty { return }
            follower?.hear(notes)
        }
    }
}
