#if Cluster

/// The result of a request.
enum NATSReply: Sendable {
    case message(NATSMessage)
    /// Nobody serves the subject.
    case nobody
    case silence
    /// The connection was lost after the request was sent.
    case disconnected
    /// The request was not sent: it exceeds the server's limit.
    case tooLarge
    /// The request was not sent: too much is waiting, or the connection is closed.
    case full
}

/// The requests that have no answer yet. Those that are not sent yet wait for a connection.
struct RequestTable {
    /// - Returns: Whether the request expects more replies.
    typealias Receive = @Sendable (NATSReply) -> Bool

    private struct Entry {
        /// Nanoseconds of `DispatchTime`.
        let deadline: UInt64
        let receive: Receive
        /// Nil once it is sent.
        var unsent: NATSPublication?
    }

    private static let countLimit = 4_096
    private static let unsentByteLimit = 16 << 20

    private var entries: [UInt64: Entry] = [:]
    private var unsentBytes = 0
    private var lastID: UInt64 = 0

    var earliestDeadline: UInt64? { entries.values.lazy.map(\.deadline).min() }

    /// - Returns: Its id; nil if the table is full.
    mutating func insert(_ publication: NATSPublication, deadline: UInt64, _ receive: @escaping Receive) -> UInt64? {
        guard entries.count < Self.countLimit, unsentBytes + publication.size <= Self.unsentByteLimit else {
            return nil
        }
        lastID += 1
        unsentBytes += publication.size
        entries[lastID] = Entry(deadline: deadline, receive: receive, unsent: publication)
        return lastID
    }

    /// The ids of the requests that are not sent yet, in order.
    var unsent: [UInt64] { entries.filter { $0.value.unsent != nil }.keys.sorted() }

    /// - Returns: The request to send now, if it is not sent yet.
    mutating func beginSending(_ id: UInt64) -> NATSPublication? {
        guard let publication = entries[id]?.unsent else { return nil }
        entries[id]?.unsent = nil
        unsentBytes -= publication.size
        return publication
    }

    func receiver(of id: UInt64) -> Receive? { entries[id]?.receive }

    @discardableResult
    mutating func remove(_ id: UInt64) -> Receive? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        unsentBytes -= entry.unsent?.size ?? 0
        return entry.receive
    }

    mutating func removeExpired(at now: UInt64) -> [Receive] { removeAll { $0.deadline <= now } }

    /// Removes the requests whose replies can no longer arrive because the connection is lost.
    mutating func removeSent() -> [Receive] { removeAll { $0.unsent == nil } }

    mutating func removeAll() -> [Receive] { removeAll { _ in true } }

    private mutating func removeAll(where matches: (Entry) -> Bool) -> [Receive] {
        entries.filter { matches($0.value) }.keys.sorted().compactMap { remove($0) }
    }
}
#endif
