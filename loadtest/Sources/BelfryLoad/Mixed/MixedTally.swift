import BelfryClient
import Histogram
import Synchronization

/// The outcomes of all operations.
final class MixedTally: Sendable {
    struct State {
        var book: MixedBook
        /// Nanoseconds from the intended time to the reply in the measured part, by activity.
        var answers = Array(repeating: Histogram<UInt64>.latency(), count: Activity.allCases.count)
        var done = Array(repeating: 0, count: Activity.allCases.count)
    }

    let state: Mutex<State>
    /// The outcomes of all activities together.
    let sends = SendTally()
    /// The time of the first operation, in nanoseconds of the monotonic clock.
    let start = Atomic<UInt64>(0)

    init(rooms: Int) { state = Mutex(State(book: MixedBook(rooms: rooms))) }

    /// - Parameter apply: Records what was acknowledged; returns nil if the reply does not match.
    func recordAnswer(
        _ sequence: Int, _ activity: Activity, intended: UInt64, isMeasured: Bool,
        _ result: Result<[UInt8], BelfryError>,
        _ apply: (inout MixedBook, [UInt8]) -> Void?
    ) {
        let took = Clock.since(intended)
        switch result {
        case .failure(let error): sends.recordFailure(sequence, "\(activity.name): \(error)")
        case .success(let json):
            let isRight = state.withLock { state in
                guard apply(&state.book, json) != nil else { return false }
                state.done[activity.rawValue] += 1
                if isMeasured { _ = state.answers[activity.rawValue].record(took) }
                return true
            }
            guard isRight else {
                return sends.recordFailure(sequence, "\(activity.name): the reply does not match the request")
            }
            sends.recordAcknowledgement(after: took, isMeasured: isMeasured)
        }
    }
}
