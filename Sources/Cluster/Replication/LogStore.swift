/// A replicated sequence of messages that all nodes of a cluster share, such as a JetStream stream.
///
/// Messages are numbered from 1 without gaps. The store is a window: it may have dropped the oldest ones. Every call returns
/// at once; callbacks arrive on the store's own serial queue.
package protocol LogStore: AnyObject, Sendable {
    /// Appends a message if it becomes the one after `last`.
    ///
    /// - Parameters:
    ///   - last: The number of the last message; 0 for an empty log.
    ///   - id: Identifies the message. The store ignores a message whose id it has stored recently, so that an append whose
    ///     outcome is unknown can be repeated.
    func append(
        _ message: [UInt8], expecting last: UInt64, id: String,
        _ done: @escaping @Sendable (AppendOutcome) -> Void)

    /// Reads messages in order, from a number on.
    ///
    /// - Parameter bytes: Ends the result once it has this size. It contains at least one message if there is one.
    /// - Returns: To `done`, the messages; none if the number is greater than the last one.
    func read(
        from number: UInt64, bytes: Int,
        _ done: @escaping @Sendable (Result<[LogEntry], LogStoreError>) -> Void)

    /// Finds out which messages the store has.
    func bounds(_ done: @escaping @Sendable (Result<LogBounds, LogStoreError>) -> Void)

    /// Finds out which messages the store has, and how much space they need.
    func usage(_ done: @escaping @Sendable (Result<LogUsage, LogStoreError>) -> Void)

    /// Reads a message with the time at which it was stored.
    ///
    /// - Returns: To `done`, the message; nil if the copy of the store that answered does not have it.
    func examine(_ number: UInt64, _ done: @escaping @Sendable (Result<DatedEntry?, LogStoreError>) -> Void)

    /// Drops all messages before a number. At least the last one must stay, because a new writer needs its digest.
    func trim(before number: UInt64, _ done: @escaping @Sendable (Result<Void, LogStoreError>) -> Void)

    /// Sets the follower, which receives new messages as they are stored. This is a hint: messages may be missing or come
    /// twice, so a follower reads what it misses. Call it once.
    func follow(_ receive: @escaping @Sendable (LogEntry) -> Void)
}

/// A stored message and its number.
package struct LogEntry: Equatable, Sendable {
    package let number: UInt64
    package let message: [UInt8]

    package init(number: UInt64, message: [UInt8]) {
        self.number = number
        self.message = message
    }
}

/// The numbers of the oldest and the newest message. In an empty log, `first` is `last + 1`.
package struct LogBounds: Equatable, Sendable {
    package let first: UInt64
    package let last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

/// A stored message and the time at which it was stored.
package struct DatedEntry: Equatable, Sendable {
    package let entry: LogEntry
    /// Milliseconds since 1970 on the store's clock; nil if the store does not know.
    package let milliseconds: Int64?

    package init(entry: LogEntry, milliseconds: Int64?) {
        self.entry = entry
        self.milliseconds = milliseconds
    }
}

/// How full a store is.
package struct LogUsage: Equatable, Sendable {
    package let bounds: LogBounds
    package let bytes: UInt64
    /// The size at which the store refuses messages; nil for no limit.
    package let byteLimit: UInt64?

    package init(bounds: LogBounds, bytes: UInt64, byteLimit: UInt64?) {
        self.bounds = bounds
        self.bytes = bytes
        self.byteLimit = byteLimit
    }
}

package enum AppendOutcome: Equatable, Sendable {
    /// The message is stored, now or by an earlier append with the same id, under this number.
    case stored(UInt64)
    /// Another message follows the expected one. This one is not stored.
    case conflict
    /// The message is not stored and will not be, for example because the store is full.
    case refused(String)
    /// The message may be stored, now or later: the reply was lost or is late.
    case unknown
}

package enum LogStoreError: Error, Equatable, Sendable {
    /// No answer in time.
    case unreachable
    /// The message is older than the store's window.
    case dropped(first: UInt64)
    /// Any other failure, in the store's words.
    case failed(String)
}
