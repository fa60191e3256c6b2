/// A share of a scenario's clients, controlled step by step in this or a separate process.
protocol Share: Sendable {
    associatedtype Plan: Codable & Sendable
    associatedtype Answer: Codable & Sendable

    /// The scenario's name on the command line of a worker process.
    static var name: String { get }

    /// - Parameter clients: The numbers of this share's clients in the plan.
    init(_ plan: Plan, clients: Range<Int>, crowd: Crowd) throws

    func perform(_ order: ShareOrder) async throws -> Answer
}

/// An order to a share.
struct ShareOrder: Codable, Equatable, Sendable {
    enum Step: String, Codable, Sendable {
        /// Join the rooms and disconnect.
        case settle
        /// Connect, up to client `number` or all.
        case connect
        /// Report the progress.
        case tell
        /// Abort all connections.
        case cut
        /// Reconnect at `number`, in nanoseconds of the monotonic clock.
        case comeBack
        /// Disconnect and report the findings.
        case finish
    }

    var step: Step
    var number: UInt64 = 0
    /// Messages that may be missing, because they were not acknowledged.
    var excused: [Int] = []
}

/// Distributes clients over processes.
enum ShareSplit {
    /// - Parameters:
    ///   - limit: The descriptor limit of a process.
    ///   - processes: The requested number of processes; nil for as few as the limit allows.
    /// - Returns: Ranges of nearly equal size that cover all clients; at least one.
    static func ranges(of clients: Int, limit: Int, processes: Int?) -> [Range<Int>] {
        let room = max(1, limit - FileLimit.own)
        let count = min(max(1, clients), max(processes ?? 1, (clients + room - 1) / room))
        return (0..<count).map { clients * $0 / count..<clients * ($0 + 1) / count }
    }
}
