/// The progress of a request body that is passed on in pieces, and the deadline for its next piece.
struct PassedBody {
    private enum Step: Equatable {
        case receiving(until: Int64)
        /// The last piece is being written, or its reader wants no more for now.
        case paused
        case complete
    }

    /// In bytes.
    let limit: Int
    /// The deadline for the last byte.
    private let end: Int64
    private(set) var received = 0
    private var step: Step

    init(limit: Int, end: Int64, firstPieceBy due: Int64) {
        self.limit = limit
        self.end = end
        step = .receiving(until: min(end, due))
    }

    /// The deadline for the next piece; nil when none is awaited.
    var deadline: Int64? { if case .receiving(let end) = step { end } else { nil } }
    var isComplete: Bool { step == .complete }

    /// Counts a received piece and pauses.
    ///
    /// - Returns: False when the body exceeds its limit.
    mutating func receive(_ count: Int) -> Bool {
        received += count
        guard received <= limit else { return false }
        step = .paused
        return true
    }

    /// - Returns: False when the body is not paused.
    mutating func resume(nextPieceBy due: Int64) -> Bool {
        guard step == .paused else { return false }
        step = .receiving(until: min(end, due))
        return true
    }

    mutating func complete() { step = .complete }
}
