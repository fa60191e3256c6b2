import API
import EventLoops
import Gateway
import Glibc
import Logging
import Synchronization
import Testing
import WireProtocol

@testable import Belfry

/// The bounds of tokens that wait: for their judgement, and for the keys that they name.
@Suite struct TokenWaitingTests {
    private typealias Verdict = Result<Identity, TokenRefusal>

    /// Judges when it is told to.
    private final class Judge: TokenChecker {
        private let waiting = Mutex<[@Sendable (Verdict) -> Void]>([])

        func verify(_ token: String?, then handOver: @escaping @Sendable (Verdict) -> Void) {
            waiting.withLock { $0.append(handOver) }
        }

        var count: Int { waiting.withLock(\.count) }

        func judge() { waiting.withLock { $0.removeFirst() }(.failure(.invalid)) }
    }

    @Test func `one token more than may wait is told to come again, and each that is judged makes room`() {
        let registry = PrometheusRegistry()
        let judge = Judge()
        let desk = TokenDesk(judge, limit: 2, metrics: registry)
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

    /// Takes connections and says nothing until it is gone.
    private struct SilentServer {
        private let listener: Int32
        let port: UInt16

        init() throws {
            listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 16, reusePort: false).release()
            port = try #require(Sockets.localAddress(of: listener)).port
        }

        /// Those who wait for an answer hear that there is none.
        func end() { close(listener) }
    }

    @Test func `a thousand tokens wait for one fetch of keys, and one more is judged by the keys there are`()
        async throws
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
            for _ in 0..<TokenKeyFetcher.mostWaiting { group.addTask { await fetcher.fetchAgain() } }
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
