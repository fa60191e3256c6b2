import Belfry
import ChatModel
import Testing

/// The limit and the completion of calls from inside the process.
@Suite struct InProcessCallsTests {
    @Test func `calls beyond the limit are refused, and at shutdown no caller is left waiting`() async {
        let registry = PrometheusRegistry()
        let calls = InProcessCalls(limit: 2, metrics: registry)
        let (started, starting) = AsyncStream<Void>.makeStream()
        async let first = calls.call { _ in starting.yield() }
        async let second = calls.call { _ in starting.yield() }
        var iterator = started.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        let third = await calls.call { _ in Issue.record("started beyond the bound") }
        #expect(code(third) == .tooManyRequests)
        #expect(
            registry.text().contains("belfry_calls 2\n") && registry.text().contains("belfry_calls_refused_total 1\n"))
        calls.close()
        #expect(await [code(first), code(second)] == [.outcomeUnknown, .outcomeUnknown])
        #expect(registry.text().contains("belfry_calls 0\n"))
    }

    @Test func `a call that fails to start releases its slot`() async {
        let calls = InProcessCalls(limit: 1, metrics: PrometheusRegistry())
        for _ in 0..<3 {
            let answer = await calls.call { (_) throws(Rejection) in throw Rejection(.methodNotFound) }
            #expect(code(answer) == .methodNotFound)
        }
    }

    private func code(_ answer: Result<any Encodable & Sendable, Rejection>) -> ErrorCode? {
        guard case .failure(let rejection) = answer else { return nil }
        return rejection.code
    }
}
