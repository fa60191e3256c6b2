import API
import Gateway
import MetricTable
import Metrics
import Synchronization

/// Calls the host's authentication with limited concurrency and a timeout.
final class HostAuthenticator: Authenticator {
    private let check: Authentication.Check
    private let tokens: any TokenChecker
    private let limits: Authentication.Limits
    private let asked = Atomic<Int>(0)
    private let inFlight: Meter
    private let refused: Counter
    private let late: Counter

    /// - Parameter tokens: Checks tokens when the host defers to Belfry (`.asToken`).
    /// - Throws: When a limit is not positive.
    init(
        _ check: @escaping Authentication.Check, tokens: any TokenChecker, limits: Authentication.Limits,
        metrics factory: any MetricsFactory
    ) throws(ConfigurationError) {
        guard limits.maxConcurrentChecks > 0, limits.time > .zero else {
            throw ConfigurationError("authenticationLimits: each limit must be at least 1")
        }
        self.check = check
        self.tokens = tokens
        self.limits = limits
        inFlight = Meter(.authentications, factory)
        refused = Counter(.authenticationsRefused, factory)
        late = Counter(.authenticationsLate, factory)
    }

    func verify(
        _ presented: PresentedCredentials, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        guard asked.wrappingAdd(1, ordering: .relaxed).newValue <= limits.maxConcurrentChecks else {
            asked.wrappingSubtract(1, ordering: .relaxed)
            refused.increment()
            return handOver(.failure(.unavailable))
        }
        inFlight.increment()
        let attempt = Attempt(handOver)
        let work = Task {
            let verdict = await check(Authentication.Credentials(presented))
            // Released only here, because a check that ignores cancellation still occupies its slot.
            asked.wrappingSubtract(1, ordering: .relaxed)
            inFlight.decrement()
            conclude(verdict, presented, attempt)
        }
        attempt.watch(
            Task { [limits, late] in
                guard (try? await Task.sleep(for: limits.time)) != nil, attempt.answer(.failure(.unavailable)) else {
                    return
                }
                late.increment()
                work.cancel()
            })
    }

    private func conclude(_ verdict: Authentication.Verdict, _ presented: PresentedCredentials, _ attempt: Attempt) {
        switch verdict.kind {
        case .refused: attempt.answer(.failure(.invalid))
        case .expired: attempt.answer(.failure(.expired))
        case .asToken: tokens.verify(presented.token) { attempt.answer($0) }
        // Only the server creates guests, and they authenticate with their tokens.
        case .user(let user, _, _) where user.isGuest: attempt.answer(.failure(.invalid))
        case .user(let user, let validFor, let issuedAt):
            let milliseconds = validFor?.clampedMilliseconds
            let identity = Identity(user: user, validFor: milliseconds, issuedAt: issuedAt)
            attempt.answer(milliseconds.map { $0 > 0 } ?? true ? .success(identity) : .failure(.expired))
        }
    }

    /// Delivers only the first result.
    private final class Attempt: Sendable {
        private struct State {
            var handOver: (@Sendable (Result<Identity, TokenRefusal>) -> Void)?
            var watch: Task<Void, Never>?
        }

        private let state: Mutex<State>

        init(_ handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void) {
            state = Mutex(State(handOver: handOver))
        }

        /// Sets the task to cancel once there is a result.
        func watch(_ task: Task<Void, Never>) {
            let isAnswered = state.withLock { state in
                if state.handOver != nil { state.watch = task }
                return state.handOver == nil
            }
            if isAnswered { task.cancel() }
        }

        /// - Returns: False when there already was a result.
        @discardableResult
        func answer(_ result: Result<Identity, TokenRefusal>) -> Bool {
            let (handOver, watch) = state.withLock { state in
                defer { (state.handOver, state.watch) = (nil, nil) }
                return (state.handOver, state.watch)
            }
            watch?.cancel()
            handOver?(result)
            return handOver != nil
        }
    }
}

extension Authentication.Credentials {
    fileprivate init(_ presented: PresentedCredentials) {
        switch presented.occasion {
        case .connect: occasion = .connect
        case .refresh: occasion = .refresh
        case .request: occasion = .request
        }
        token = presented.token?.isEmpty == true ? nil : presented.token
        headerFields = presented.fields
        address = presented.address
    }
}
