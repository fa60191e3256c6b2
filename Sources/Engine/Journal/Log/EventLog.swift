import ChatDomain

/// Stores the chat's events before anyone sees them.
///
/// The interface between the engine and its storage: memory, a journal on disk, or later a distributed log.
/// *Reserve* precedes the decision, so that memory never runs ahead of a store that cannot follow. *Append*
/// returns at once. *Synced* entries reach the follower in order, and only then may anything be sent.
///
/// `Note` is what the engine gets back with an entry; the log does not interpret it.
package protocol EventLog<Note>: AnyObject, Sendable {
    associatedtype Note: Sendable

    /// Reserves space for one frame.
    ///
    /// - Parameter isForServer: Whether a server key gave the command: users are refused first when space runs low.
    /// - Returns: `nil` when there is none; the command is refused with 1040 and may be retried.
    func reserve(isForServer: Bool) -> Reservation?

    /// Releases the reservation of a command that produced no event.
    func cancel(_ reservation: consuming Reservation)

    /// Whether the records fit into one frame. Check before applying them: applied records must be appended.
    func fits(_ records: [Record]) -> Bool

    /// Writes all events of one command as one frame, so they are atomic.
    ///
    /// - Parameter sequence: The expected number of the frame, one more than the last. A mismatch reveals a
    ///   second writer.
    func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation)

    /// Hands over a note after everything appended so far, without writing anything.
    func mark(_ note: Note)

    /// Runs a short body and writes what it appended when it ends, so that all of it shares a sync.
    ///
    /// - Parameter isFlushedByCaller: Whether the caller will call `flush`, which may then write instead.
    func batch(isFlushedByCaller: Bool, _ body: () -> Void)

    /// Writes what a batch has left to its caller, and hands it over, on this thread: waking another one takes
    /// longer than a quick disk.
    func flush()

    /// Whether everything appended is durable.
    var isSynced: Bool { get }

    /// Sets the follower, which receives the notes of durable entries in order, one sync at a time, on the
    /// log's queue. Called once, before the first append.
    func follow(_ follower: @escaping @Sendable (_ notes: [Note]) -> Void)

    /// Writes pending entries, accepts nothing more and calls back on the log's queue. The log is marked
    /// complete for whoever opens it next.
    func close(_ done: @escaping @Sendable () -> Void)

    /// The number of the last frame when the log was opened; 0 for an empty log.
    var lastSequence: UInt64 { get }

    /// A base state from which the remaining frames present at opening lead to the current state. Read anew on
    /// each call.
    ///
    /// - Returns: The state and its frame number; an empty state and 0 if all frames exist.
    /// - Throws: When the state cannot be read.
    func base() throws -> (state: ChatState, sequence: UInt64)

    /// Of the frames present at opening, the first of those at the end that together fit into a number of
    /// bytes; the number after the last if not even that one fits.
    func first(ofLastBytes bytes: Int) -> UInt64

    /// Reads the frames present at opening in order, from a sequence number on.
    ///
    /// - Throws: When a frame cannot be read, and any error of the body.
    func read(from sequence: UInt64, _ body: (_ sequence: UInt64, _ records: [Record]) throws -> Void) throws
}

extension EventLog {
    package func reserve() -> Reservation? { reserve(isForServer: false) }

    /// For logs without batches.
    package func batch(isFlushedByCaller: Bool, _ body: () -> Void) { body() }

    /// For logs that write on their own thread.
    package func flush() {}

    package func batch(_ body: () -> Void) { batch(isFlushedByCaller: false, body) }

    /// For logs without a frame limit.
    package func fits(_ records: [Record]) -> Bool { true }

    /// For logs that do not track frame sizes.
    package func first(ofLastBytes bytes: Int) -> UInt64 { 1 }
}

/// Callers that may not reserve space although there is some.
package enum SuspendedCallers: Int, Comparable, Sendable {
    case nobody, users, everybody

    package static func < (a: SuspendedCallers, b: SuspendedCallers) -> Bool { a.rawValue < b.rawValue }
}

/// Space for one frame; consumed by `append` or released by `cancel`.
package struct Reservation: ~Copyable, Sendable {
    /// For implementations of `EventLog` only.
    package init() {}
}
