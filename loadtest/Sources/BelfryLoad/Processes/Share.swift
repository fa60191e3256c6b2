/// Some of a scenario's clients, which do what they are told step by step: in this process or in one of their own.
protocol Share: Sendable {
    associatedtype Plan: Codable & Sendable
    associatedtype Answer: Codable & Sendable

    /// On the command line of a process of its own.
    static var name: String { get }

    /// - Parameter clients: Which of the plan's.
    init(_ plan: Plan, clients: Range<Int>, crowd: Crowd) throws

    func carryOut(_ order: ShareOrder) async throws -> Answer
}

/// One step.
struct ShareOrder: Codable, Equatable, Sendable {
    enum Step: String, Codable, Sendable {
        /// Enter the rooms, and leave the server again.
        case settle
        /// Connect: up to client `number`, or all.
        case connect
        /// Tell how far you are.
        case tell
        /// Break all connections.
        case cut
        /// Come back at `number`, in nanoseconds of the monotonic clock.
        case comeBack
        /// Leave, and tell what was found.
        case finish
    }

    var step: Step
    var number: UInt64 = 0
    /// Messages that nobody need have heard: they were not acknowledged.
    var excused: [Int] = []
}

/// How clients are spread over processes.
enum ShareSplit {
    /// - Parameters:
    ///   - limit: Descriptors that a process may open.
    ///   - processes: How many are wished for; nil for as few as the limit asks for.
    /// - Returns: Ranges as even as can be, together all clients; at least one.
    static func ranges(of clients: Int, limit: Int, processes: Int?) -> [Range<Int>] {
        let room = max(1, limit - FileLimit.own)
        let count = min(max(1, clients), max(processes ?? 1, (clients + room - 1) / room))
        return (0..<count).map { clients * $0 / count..<clients * ($0 + 1) / count }
    }
}
