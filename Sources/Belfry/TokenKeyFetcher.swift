import API
import Logging
import Synchronization
import Webhooks

/// Fetches a JWK set into the key ring, periodically and when a token names an unknown key.
///
/// Makes one fetch at a time, on a separate queue, because libcurl blocks.
final class TokenKeyFetcher: TokenKeySource {
    /// The number of tokens that may wait for one fetch; more are verified with the current keys.
    static let maxWaiting = 1_000
    /// The delay after a failed fetch, unless the regular one is due sooner.
    static let retrySeconds = 10

    private struct State {
        var isFetching = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The time of the last fetch for an unknown key.
        var lastUnknown: ContinuousClock.Instant?
        var hasFailed = false
        var loop: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let executor = TokenExecutor(label: "belfry.token-keys")
    private let url: String
    private let configuration: Configuration.Tokens
    private let destinations: Destinations
    private let ring: TokenKeyRing
    private let metrics: TokenKeyMetrics
    private let logger: Logger

    init(
        _ url: String, _ configuration: Configuration.Tokens, _ destinations: Destinations, _ ring: TokenKeyRing,
        _ metrics: TokenKeyMetrics, _ logger: Logger
    ) {
        self.url = url
        self.configuration = configuration
        self.destinations = destinations
        self.ring = ring
        self.metrics = metrics
        self.logger = logger
    }

    func start() {
        let loop = Task { [weak self] in
            while let delay = self?.delay, (try? await Task.sleep(for: delay)) != nil { await self?.fetch() }
        }
        state.withLock { $0.loop = loop }
    }

    func stop() { state.withLock { $0.loop.take() }?.cancel() }

    private var delay: Duration {
        let refresh = configuration.jwksRefreshSeconds
        return .seconds(state.withLock { $0.hasFailed } ? min(Self.retrySeconds, refresh) : refresh)
    }

    /// Fetches keys, or waits for the fetch in progress.
    func fetch() async {
        await withCheckedContinuation { join($0, mayBegin: { _ in true }) }
    }

    /// Fetches keys for a token with an unknown key. Returns immediately if a recent fetch had the same reason, because
    /// anyone can make up key names.
    func fetchAgain() async {
        metrics.unknown.increment()
        let pause = Duration.milliseconds(configuration.jwksPauseMilliseconds)
        await withCheckedContinuation { continuation in
            join(continuation) { state in
                let now = ContinuousClock.now
                if let last = state.lastUnknown, last.duration(to: now) < pause { return false }
                state.lastUnknown = now
                return true
            }
        }
    }

    private func join(_ continuation: CheckedContinuation<Void, Never>, mayBegin: (inout State) -> Bool) {
        enum Decision { case begin, wait, skip, refuse }
        let decision = state.withLock { state -> Decision in
            guard state.waiting.count < Self.maxWaiting else { return .refuse }
            if !state.isFetching, !mayBegin(&state) { return .skip }
            state.waiting.append(continuation)
            metrics.waits.record(state.waiting.count)
            defer { state.isFetching = true }
            return state.isFetching ? .wait : .begin
        }
        switch decision {
        case .skip: continuation.resume()
        case .refuse:
            metrics.waitsRefused.increment()
            continuation.resume()
        case .wait: break
        case .begin: Task(executorPreference: executor) { self.performFetch() }
        }
    }

    private func performFetch() {
        metrics.fetches.increment()
        let failure = apply(
            HTTPGet.fetch(
                url, limit: TokenKeySet.mostBytes, timeoutMilliseconds: configuration.jwksTimeoutMilliseconds,
                to: destinations))
        if let failure {
            metrics.fetchFailures.increment()
            logger.error("cannot fetch token keys", metadata: ["url": "\(url)", "reason": "\(failure)"])
        } else {
            metrics.fetched.record(Double(WallClock.milliseconds() / 1_000))
            metrics.keys.record(ring.count)
        }
        let waiting = state.withLock { state in
            state.isFetching = false
            state.hasFailed = failure != nil
            metrics.waits.record(0)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// - Returns: The reason the fetch yielded no keys, in which case the previous ones stay; nil on success.
    private func apply(_ outcome: HTTPGet.Outcome) -> String? {
        switch outcome {
        case .body(let bytes):
            do throws(TokenKeyError) {
                let (keys, skipped) = try TokenKeySet.published(bytes)
                for error in skipped {
                    logger.info("skipped an unusable token key", metadata: ["reason": "\(error)"])
                }
                ring.setFetched(keys)
                return nil
            } catch {
                return "\(error)"
            }
        case .status(let status): return "status \(status)"
        case .refused(let address): return "\(address) is in no network listed in tokens.jwks_http_networks"
        case .tooLarge: return "the response is larger than \(TokenKeySet.mostBytes) bytes"
        case .noAnswer(let reason): return reason
        }
    }
}
