import ChatDomain
import Dispatch
import Journal
import Synchronization

/// An event log that stores nothing and delivers each entry on its queue.
final class PassingLog<Note: Sendable>: EventLog {
    private let queue: DispatchQueue
    private let waiting = Atomic<Int>(0)
    private let follower = Mutex<(@Sendable ([Note]) -> Void)?>(nil)

    init(queue: DispatchQueue) { self.queue = queue }

    func reserve(isForServer: Bool) -> Reservation? { Reservation() }
    func cancel(_ reservation: consuming Reservation) {}

    func append(_ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation) {
        mark(note)
    }

    func mark(_ note: Note) {
        waiting.add(1, ordering: .relaxed)
        queue.async {
            self.follower.withLock(\.self)?([note])
            self.waiting.subtract(1, ordering: .relaxed)
        }
    }

    var isSynced: Bool { waiting.load(ordering: .relaxed) == 0 }
    func follow(_ follower: @escaping @Sendable ([Note]) -> Void) { self.follower.withLock { $0 = follower } }
    func close(_ done: @escaping @Sendable () -> Void) { queue.async(execute: done) }
    var lastSequence: UInt64 { 0 }
    func base() -> (state: ChatState, sequence: UInt64) { (ChatState(), 0) }
    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) {}
}
