import API
import ChatEngine
import ChatModel
import Gateway
import MetricTable
import Metrics
import Synchronization

/// The requests with an idempotency key that are in progress, and the answers to earlier ones.
package final class IdempotentRequests: Sendable {
    private struct State {
        var keyAnswers: AnswerMemory
        var userAnswers: AnswerMemory

        mutating func memory<Result>(of owner: AnswerMemory.Owner, _ body: (inout AnswerMemory) -> Result) -> Result {
            switch owner {
            case .key: body(&keyAnswers)
            case .user: body(&userAnswers)
            }
        }
    }

    private let state: Mutex<State>
    private let answers: Gauge
    private let repeats: Counter
    private let unkept: Counter
    private let bytes: Gauge

    package init(limits: AnswerMemory.Limits, metrics factory: any MetricsFactory) {
        state = Mutex(
            State(
                keyAnswers: AnswerMemory(limits, share: limits.ofKey),
                userAnswers: AnswerMemory(limits, share: limits.ofUser)))
        answers = Gauge(.idempotencyAnswers, factory)
        repeats = Counter(.idempotencyRepeats, factory)
        unkept = Counter(.idempotencyUnkept, factory)
        bytes = Gauge(.idempotencyBytes, factory)
    }

    /// Looks up an earlier execution of the request, or registers it. If it returns `nil`, the caller must execute the
    /// request and call `finish` or `cancel`.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The stored answer to the same request; `nil` if the request must be executed.
    /// - Throws: 1036 when the key was used for another request, 1037 while the request is in progress, 1038 when it
    ///   was executed and its answer is no longer kept, 111 when too many are in progress.
    func begin(
        _ name: AnswerMemory.Name, _ request: RequestFingerprint, at now: Int64
    ) throws(Rejection) -> KeptAnswer? {
        switch state.withLock({ $0.memory(of: name.owner) { $0.begin(name, request, at: now) } }) {
        case .fresh: return nil
        case .again(let answer):
            repeats.increment()
            return answer
        case .unkept:
            unkept.increment()
            throw Rejection(.answerNotKept)
        case .anotherRequest: throw Rejection(.idempotencyKeyReused)
        case .underWay: throw Rejection(.requestUnderWay)
        case .full: throw Rejection(.tooManyRequests, "requests with an Idempotency-Key in progress")
        }
    }

    /// - Parameter answer: `nil` when there is no answer to keep.
    func finish(_ name: AnswerMemory.Name, with answer: KeptAnswer?, at now: Int64) {
        let (count, byteCount) = state.withLock { state in
            state.memory(of: name.owner) { $0.finish(name, with: answer, at: now) }
            return (
                state.keyAnswers.count + state.userAnswers.count,
                state.keyAnswers.byteCount + state.userAnswers.byteCount
            )
        }
        answers.record(count)
        bytes.record(byteCount)
    }

    /// Withdraws a request that `begin` registered but that was not started and will have no answer.
    func cancel(_ name: AnswerMemory.Name) {
        state.withLock { $0.memory(of: name.owner) { $0.finish(name, with: nil, at: 0) } }
    }
}
