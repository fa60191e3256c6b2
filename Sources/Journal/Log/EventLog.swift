import ChatDomain

/// Where the chat's events are written down before anyone hears of them.
///
/// The seam between the engine and its storage: memory now, a journal on disk or a distributed log behind the same
/// three steps. *Reserve* comes before deciding, so that memory never runs ahead of a store that cannot follow;
/// *append* returns at once; *synced* entries come to the follower in order, and only then may anything leave.
///
/// `Note` is what the engine wants back with an entry; the log never looks into it.
package protocol EventLog<Note>: AnyObject, Sendable {
    associatedtype Note: Sendable

    /// Sets space aside for one frame.
    ///
    /// - Returns: `nil` when there is none; the command is refused with 1040 and may be tried again.
    func reserve() -> Reservation?

    /// Gives back the space of a command that came to no event.
    func cancel(_ reservation: consuming Reservation)

    /// Whether these records fit into one frame. Asked before they are folded: what is folded has to be appended.
    func fits(_ records: [Record]) -> Bool

    /// Writes all events of one command as one frame: they happen together or not at all.
    ///
    /// - Parameter sequence: The number the frame must get, one more than the last: a second writer is found out.
    func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation)

    /// Sends a note behind everything appended so far, without writing anything.
    func mark(_ note: Note)

    /// Runs a body, and writes what it has appended when it has ended: all of it shares a sync. The body is short.
    func together(_ body: () -> Void)

    /// Whether nothing appended waits to be durable.
    var isSynced: Bool { get }

    /// Hands over the notes of what has become durable, in order, a whole sync at a time, on the log's queue. Called
    /// once, before the first append.
    func follow(_ follower: @escaping @Sendable (_ notes: [Note]) -> Void)

    /// Hands over what waits, takes nothing any more and calls back on the log's queue. Whoever opens the log again knows
    /// that nothing is missing.
    func close(_ done: @escaping @Sendable () -> Void)

    /// The number of the last frame that was there when the log was opened; 0 for an empty log.
    var lastSequence: UInt64 { get }

    /// The state at some frame of those that were there when the log was opened, to which the frames after it lead on.
    /// Read anew by each call.
    ///
    /// - Returns: The state, and the frame's number; an empty state and 0 where all frames are there.
    /// - Throws: When it cannot be read.
    func base() throws -> (state: ChatState, sequence: UInt64)

    /// The first of the frames at the end of those that were there when the log was opened which have at most so many bytes
    /// together; the number after the last where not even that one does.
    func first(ofLastBytes bytes: Int) -> UInt64

    /// The frames that were there when the log was opened, from a sequence number on, in order.
    ///
    /// - Throws: When a frame cannot be read, and what the body throws.
    func read(from sequence: UInt64, _ body: (_ sequence: UInt64, _ records: [Record]) throws -> Void) throws
}

extension EventLog {
    /// For logs that need not know what belongs together.
    package func together(_ body: () -> Void) { body() }

    /// For logs whose frames have no limit.
    package func fits(_ records: [Record]) -> Bool { true }

    /// For logs that do not know how large their frames are.
    package func first(ofLastBytes bytes: Int) -> UInt64 { 1 }
}

/// Space for one frame; used up by `append` or given back by `cancel`.
package struct Reservation: ~Copyable, Sendable {
    /// For logs alone.
    package init() {}
}
