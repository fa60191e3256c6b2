import DequeModule

/// Reads that must see everything acknowledged by any node before they arrived.
///
/// One question to the node that decides serves all reads that arrived before it was asked. Then they wait until this node
/// has applied the frame that it named.
struct WaitingReads {
    enum Sight {
        /// This node has applied everything that any node acknowledged before the read arrived.
        case latest
        /// The node that decides did not answer, so the read sees what this node has.
        case local
        /// This node took too long to apply what the read must see.
        case behind
    }

    typealias Body = (ChatEngine, Sight) -> Void

    private struct Read {
        let frame: UInt64
        /// Milliseconds since 1970.
        let since: Int64
        let body: Body
    }

    /// A read whose client has seen more than this node.
    private struct Ahead {
        let since: Int64
        let isMet: (ChatEngine) -> Bool
        let body: Body
    }

    /// How long a read waits for this node to apply what it must see, in milliseconds.
    static let patience: Int64 = 5_000

    private let limit: Int
    /// Reads that a question has been asked for.
    private var asked: [Body] = []
    /// Reads that arrived since.
    private var arrived: [Body] = []
    private var isAsking = false
    /// Reads with a frame to wait for; the frames do not decrease.
    private var waiting: Deque<Read> = []
    /// In the order of arrival.
    private var ahead: [Ahead] = []

    init(limit: Int) { self.limit = limit }

    var count: Int { asked.count + arrived.count + waiting.count + ahead.count }
    var isFull: Bool { count >= limit }

    /// - Returns: Whether to ask a question now.
    mutating func add(_ body: @escaping Body) -> Bool {
        arrived.append(body)
        return ask()
    }

    /// Receives the answer to a question.
    ///
    /// - Parameter frame: The frame to wait for; `nil` if there was no answer. Then all reads that it was asked for run.
    /// - Returns: Reads to run now, and whether to ask the next question.
    mutating func answered(_ frame: UInt64?, applied: UInt64, at now: Int64) -> (run: [Body], asksAgain: Bool) {
        isAsking = false
        var run: [Body] = []
        if let frame, frame > applied {
            let target = max(frame, waiting.last?.frame ?? 0)
            waiting += asked.map { Read(frame: target, since: now, body: $0) }
        } else {
            run = asked
        }
        asked = []
        return (run, ask())
    }

    /// - Returns: Reads that need not wait any longer.
    mutating func applied(_ frame: UInt64) -> [Body] {
        var run: [Body] = []
        while let first = waiting.first, first.frame <= frame { run.append(waiting.removeFirst().body) }
        return run
    }

    /// Lets a read wait until this node has what its client has seen.
    mutating func postpone(at now: Int64, until isMet: @escaping (ChatEngine) -> Bool, _ body: @escaping Body) {
        ahead.append(Ahead(since: now, isMet: isMet, body: body))
    }

    /// - Returns: Postponed reads that need not wait any longer.
    mutating func removeMet(by engine: ChatEngine) -> [Body] {
        guard !ahead.isEmpty else { return [] }
        let met = ahead.map { $0.isMet(engine) }
        defer { ahead = zip(ahead, met).filter { !$1 }.map(\.0) }
        return zip(ahead, met).filter { $1 }.map(\.0.body)
    }

    /// - Returns: Reads that have waited too long.
    mutating func removeLate(at now: Int64) -> [Body] {
        var late = ahead.filter { now - $0.since > Self.patience }.map(\.body)
        ahead.removeAll { now - $0.since > Self.patience }
        while let first = waiting.first, now - first.since > Self.patience { late.append(waiting.removeFirst().body) }
        return late
    }

    /// This node decides from now on.
    mutating func removeAll() -> [Body] {
        defer { (asked, arrived, waiting, ahead, isAsking) = ([], [], [], [], false) }
        return asked + waiting.map(\.body) + ahead.map(\.body) + arrived
    }

    private mutating func ask() -> Bool {
        guard !isAsking, !arrived.isEmpty else { return false }
        isAsking = true
        swap(&asked, &arrived)
        return true
    }
}
