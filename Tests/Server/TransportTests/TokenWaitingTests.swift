import API
import EventLoops
import Gateway
import Glibc
import Logging
import Synchronization
import Testing
import WireProtocol

@testable import Belfry

/// The limits of pending tokens: for verification, and for the keys they name.
@Suite struct TokenWaitingTests {
    private typealias Verdict = Result<Identity, TokenRefusal>

    /// A checker that verifies when the test tells it to.
    private final class Judge: TokenChecker {
        private let waiting = Mutex<[@Sendable (Verdict) -> Void]>([])

        func verify(_ token: String?, then handOver: @escaping @Sendable (Verdict) -> Void) {
            waiting.withLock { $0.append(handOver) }
        }

        var count: Int { waiting.withLock(\.count) }

        func judge() { waiting.withLock { $0.removeFirst() }(.failure(.invalid)) }
    }

    @Test func `tokens beyond the limit of pending ones are refused with a retry, and each verified one makes room`() {
        let registry = PrometheusRegistry()
        let judge = Judge()
        let desk = BoundedTokenChecker(judge, limit: 2, metrics: registry)
        let verdicts = Mutex<[Verdict]>([])
        let show: () -> Void = { desk.verify("token") { verdict in verdicts.withLock { $0.append(verdict) } } }
        for _ in 0..<4 { show() }
        #expect(verdicts.withLock(\.self) == [.failure(.unavailable), .failure(.unavailable)])
        #expect(judge.count == 2)
        #expect(registry.text().contains("belfry_tokens_waiting 2\n"))
        #expect(registry.text().contains("belfry_tokens_waiting_refused_total 2\n"))
        judge.judge()
        show()
        #expect(judge.count == 2)
        for _ in 0..<2 { judge.judge() }
        #expect(verdicts.withLock { $0.suffix(3) } == [.failure(.invalid), .failure(.invalid), .failure(.invalid)])
        #expect(registry.text().contains("belfry_tokens_waiting 0\n"))
        #expect(registry.text().contains("belfry_tokens_waiting_refused_total 2\n"))
    }

    /// A server that accepts connections and stays silent until released.
    private struct SilentServer {
        private let listener: Int32
        let port: UInt16

        init() throws {
            listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 16, reusePort: false).release()
            port = try #require(Sockets.localAddress(of: listener)).port
        }

        /// Ends the server; waiting callers learn that there is no response.
        func end() { close(listener) }
    }

    @Test
    func `a thousand tokens wait for one key fetch, and further ones are verified with the current keys`() async throws
    {
        let server = try SilentServer()
        var configuration = Belfry.Configuration.Tokens()
        configuration.jwksTimeoutMilliseconds = 60_000
        configuration.jwksHTTPNetworks = ["127.0.0.1"].compactMap { IPRange($0) }
        let url = "http://127.0.0.1:\(server.port)/keys"
        let registry = PrometheusRegistry()
        let fetcher = TokenKeyFetcher(
            url, configuration, try configuration.destinations(of: url), TokenKeyRing(), TokenKeyMetrics(registry),
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await withTaskGroup { group in
            for _ in 0..<TokenKeyFetcher.maxWaiting { group.addTask { await fetcher.fetchAgain() } }
            while !registry.text().contains("belfry_token_key_waits 1000\n") { await Task.yield() }
            await fetcher.fetchAgain()
            #expect(registry.text().contains("belfry_token_key_waits 1000\n"))
            #expect(registry.text().contains("belfry_token_key_waits_refused_total 1\n"))
            server.end()
        }
        #expect(registry.text().contains("belfry_token_key_waits 0\n"))
        #expect(registry.text().contains("belfry_token_key_fetches_total 1\n"))
        #expect(registry.text().contains("belfry_token_keys_unknown_total 1001\n"))
    }
}
