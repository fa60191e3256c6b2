import ChatDomain

/// A store that makes the chat's events durable before anyone sees them.
///
/// This is the interface between the engine and its storage: memory, a journal on disk, or later a distributed log. The
/// engine *reserves* space before it decides on a command, so that its state never gets ahead of a store that is full.
/// *Append* does not wait. *Synced* entries reach the follower in order; only then may the engine send anything.
///
/// The engine attaches a `Note` to each entry and gets it back unchanged.
package protocol EventLog<Note>: AnyObject, Sendable {
    associatedtype Note: Sendable

    /// Reserves space for one frame.
    ///
    /// - Parameter isForServer: Whether the command came with a server key. When space runs low, users are refused
    ///   first.
    /// - Returns: The reservation, or `nil` if there is no space. The command is then refused with 1040 and may be
    ///   retried.
    func reserve(isForServer: Bool) -> Reservation?

    /// Releases the reservation of a command that produced no event.
    func cancel(_ reservation: consuming Reservation)

    /// Returns whether the records fit into one frame. Check this before applying them, because applied records must be
    /// appended.
    func fits(_ records: [Record]) -> Bool

    /// Returns whether every reader of the log understands the records, which nodes of an older version may not.
    func canExpress(_ records: [Record]) -> Bool

    /// Appends all events of one command as one frame, which makes them atomic.
    ///
    /// - Parameter sequence: The expected number of the frame, one more than the last. A mismatch means that there is a
    ///   second writer.
    func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation)

    /// Delivers a note after all entries appended so far, without writing anything.
    func mark(_ note: Note)

    /// Runs a short body whose appended entries are written together afterwards and share a sync.
    ///
    /// - Parameter isFlushedByCaller: Whether the caller will call `flush`, so that the log may leave the write to it.
    func batch(isFlushedByCaller: Bool, _ body: () -> Void)

    /// Writes and delivers, on the calling thread, the entries that `batch` left to the caller. Waking another thread
    /// would take longer than a write to a fast disk.
    func flush()

    /// Whether all appended entries are durable.
    var isSynced: Bool { get }

    /// Sets the follower, which receives the notes of durable entries in order, one sync at a time, on the log's queue.
    /// Must be called once, before the first append.
    func follow(_ follower: @escaping @Sendable (_ notes: [Note]) -> Void)

    /// Writes pending entries, marks the log as complete for the next start, and calls back on the log's queue. The log
    /// then accepts no more entries.
    func close(_ done: @escaping @Sendable () -> Void)

    /// The number of the last frame when the log was opened; 0 for an empty log.
    var lastSequence: UInt64 { get }

    /// Reads a base state, to which the later frames present at opening must be applied. Each call reads it again.
    ///
    /// - Returns: The state and the number of its last frame; an empty state and 0 if all frames still exist.
    /// - Throws: If the state cannot be read.
    func base() throws -> (state: ChatState, sequence: UInt64)

    /// Returns the number of the oldest frame such that it and all later frames present at opening fit into a number of
    /// bytes; the number after the last frame if not even that one fits.
    func first(ofLastBytes bytes: Int) -> UInt64

    /// Reads the frames present at opening, in order, from a sequence number on.
    ///
    /// - Throws: If a frame cannot be read, or any error thrown by the body.
    func read(from sequence: UInt64, _ body: (_ sequence: UInt64, _ records: [Record]) throws -> Void) throws
}

extension EventLog {
    package func reserve() -> Reservation? { reserve(isForServer: false) }

    /// The default for logs without batches.
    package func batch(isFlushedByCaller: Bool, _ body: () -> Void) { body() }

    /// The default for logs that write on their own thread.
    package func flush() {}

    package func batch(_ body: () -> Void) { batch(isFlushedByCaller: false, body) }

    /// The default for logs without a frame limit.
    package func fits(_ records: [Record]) -> Bool { true }

    /// The default for logs with one reader.
    package func canExpress(_ records: [Record]) -> Bool { true }

    /// The default for logs that do not track frame sizes.
    package func first(ofLastBytes bytes: Int) -> UInt64 { 1 }
}

/// The callers that may not reserve space even if there is some.
package enum SuspendedCallers: Int, Comparable, Sendable {
    case nobody, users, everybody

    package static func < (a: SuspendedCallers, b: SuspendedCallers) -> Bool { a.rawValue < b.rawValue }
}

/// Reserved space for one frame, used by `append` or released by `cancel`.
package struct Reservation: ~Copyable, Sendable {
    /// The size of the payload in bytes, if the frame is encoded already; otherwise the space is for any frame.
    let bytes: Int?

    /// Only for implementations of `EventLog`.
    package init(bytes: Int? = nil) { self.bytes = bytes }
}
