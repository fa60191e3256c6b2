import Gateway
import MetricTable
import Metrics
import Synchronization

/// Limits how many tokens are verified concurrently. They share one queue, and some wait for a key fetch.
final class BoundedTokenChecker: TokenChecker {
    private let tokens: any TokenChecker
    private let limit: Int
    private let asked = Atomic<Int>(0)
    private let waiting: Meter
    private let refused: Counter

    /// - Parameter limit: At least 1.
    init(_ tokens: any TokenChecker, limit: Int, metrics factory: any MetricsFactory) {
        self.tokens = tokens
        self.limit = limit
        waiting = Meter(.tokensWaiting, factory)
        refused = Counter(.tokensWaitingRefused, factory)
    }

    func verify(_ token: String?, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void) {
        guard asked.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            asked.wrappingSubtract(1, ordering: .relaxed)
            refused.increment()
            return handOver(.failure(.unavailable))
        }
        waiting.increment()
        tokens.verify(token) { [self] result in
            asked.wrappingSubtract(1, ordering: .relaxed)
            waiting.decrement()
            handOver(result)
        }
    }
}
