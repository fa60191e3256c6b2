import DequeModule

/// Reads that must see everything acknowledged by any node before they arrived.
///
/// One question to the node that decides serves all reads that arrived before it was asked. Then they wait until this node
/// has applied the frame that it named.
struct WaitingReads {
    /// - Parameter isCurrent: False if this node took too long to apply the frame.
    typealias Body = (ChatEngine, _ isCurrent: Bool) -> Void

    private struct Read {
        let frame: UInt64
        /// Milliseconds since 1970.
        let since: Int64
        let body: Body
    }

    /// How long a read waits for this node to apply a frame, in milliseconds.
    static let patience: Int64 = 5_000

    private let limit: Int
    /// Reads that a question has been asked for.
    private var asked: [Body] = []
    /// Reads that arrived since.
    private var arrived: [Body] = []
    private var isAsking = false
    /// Reads with a frame to wait for; the frames do not decrease.
    private var waiting: Deque<Read> = []

    init(limit: Int) { self.limit = limit }

    var count: Int { asked.count + arrived.count + waiting.count }
    var isFull: Bool { count >= limit }

    /// - Returns: Whether to ask a question now.
    mutating func add(_ body: @escaping Body) -> Bool {
        arrived.append(body)
        return ask()
    }

    /// Receives the answer to a question.
    ///
    /// - Parameter frame: The frame to wait for; `nil` if there was no answer, so that the reads see what this node has.
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

    /// - Returns: Reads that have waited too long.
    mutating func removeLate(at now: Int64) -> [Body] {
        var late: [Body] = []
        while let first = waiting.first, now - first.since > Self.patience { late.append(waiting.removeFirst().body) }
        return late
    }

    /// This node decides from now on.
    mutating func removeAll() -> [Body] {
        defer { (asked, arrived, waiting, isAsking) = ([], [], [], false) }
        return asked + waiting.map(\.body) + arrived
    }

    private mutating func ask() -> Bool {
        guard !isAsking, !arrived.isEmpty else { return false }
        isAsking = true
        swap(&asked, &arrived)
        return true
    }
}
