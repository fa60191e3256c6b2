import API
import ChatEngine
import ChatModel
import Gateway
import MetricTable
import Metrics
import Synchronization

/// The requests with an idempotency key that are in progress, and the responses to earlier ones.
package final class IdempotentRequests: Sendable {
    struct State {
        var keyStore: IdempotencyStore
        var userStore: IdempotencyStore

        var sizes: (count: Int, bytes: Int) {
            (keyStore.count + userStore.count, keyStore.byteCount + userStore.byteCount)
        }

        mutating func store<Result>(
            of owner: IdempotencyStore.Owner, _ body: (inout IdempotencyStore) -> Result
        ) -> Result {
            switch owner {
            case .key: body(&keyStore)
            case .user: body(&userStore)
            }
        }
    }

    let state: Mutex<State>
    private let answers: Gauge
    private let repeats: Counter
    private let dropped: Counter
    private let bytes: Gauge

    package init(limits: IdempotencyStore.Limits, metrics factory: any MetricsFactory) {
        state = Mutex(
            State(
                keyStore: IdempotencyStore(limits, share: limits.ofKey),
                userStore: IdempotencyStore(limits, share: limits.ofUser)))
        answers = Gauge(.idempotencyAnswers, factory)
        repeats = Counter(.idempotencyRepeats, factory)
        dropped = Counter(.idempotencyUnkept, factory)
        bytes = Gauge(.idempotencyBytes, factory)
    }

    /// Looks up an earlier execution of the request, or registers it. If it returns `nil`, the caller must execute the
    /// request and call `finish` or `cancel`.
    ///
    /// - Parameters:
    ///   - subject: The `UserID.erasureKey` of the user for whom a server key acts.
    ///   - now: Milliseconds since 1970.
    /// - Returns: The stored response to the same request; `nil` if the request must be executed.
    /// - Throws: 1036 if the key was used for a different request, 1037 if the request is in progress, 1038 if it was
    ///   executed but its response was not stored or was dropped, 111 if too many requests are in progress.
    func begin(
        _ name: IdempotencyStore.Name, _ request: RequestFingerprint, subject: UInt64?, at now: Int64
    ) throws(Rejection) -> StoredResponse? {
        let verdict = state.withLock {
            $0.store(of: name.owner) { $0.begin(name, request, subject: subject, at: now) }
        }
        switch verdict {
        case .fresh: return nil
        case .replay(let answer):
            repeats.increment()
            return answer
        case .responseDropped:
            dropped.increment()
            throw Rejection(.answerNotKept)
        case .keyReused: throw Rejection(.idempotencyKeyReused)
        case .inProgress: throw Rejection(.requestUnderWay)
        case .full: throw Rejection(.tooManyRequests, "requests with an Idempotency-Key in progress")
        }
    }

    /// - Parameters:
    ///   - answer: `nil` if there is no response to store.
    ///   - isTooLong: Whether the response is remembered without its content.
    func finish(
        _ name: IdempotencyStore.Name, with answer: StoredResponse?, isTooLong: Bool = false, at now: Int64
    ) {
        let sizes = state.withLock { state in
            state.store(of: name.owner) { $0.finish(name, with: answer, isTooLong: isTooLong, at: now) }
            return state.sizes
        }
        record(sizes)
    }

    func record(_ sizes: (count: Int, bytes: Int)) {
        answers.record(sizes.count)
        bytes.record(sizes.bytes)
    }

    /// Withdraws a request that `begin` registered but that was not started and will have no response.
    func cancel(_ name: IdempotencyStore.Name) {
        state.withLock { $0.store(of: name.owner) { $0.finish(name, with: nil, at: 0) } }
    }
}
