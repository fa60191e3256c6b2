import Belfry
import ChatModel
import Testing

/// The limit of calls from inside the process, and how they end.
@Suite struct CallDeskTests {
    @Test func `calls beyond the limit are refused, and at shutdown nobody is left waiting`() async {
        let registry = PrometheusRegistry()
        let desk = CallDesk(index: 3, limit: 2, metrics: registry)
        let (started, starting) = AsyncStream<Int>.makeStream()
        async let first = desk.call { address in starting.yield(address.connection.loop) }
        async let second = desk.call { address in starting.yield(address.connection.loop) }
        var loops: [Int] = []
        for await loop in started {
            loops.append(loop)
            if loops.count == 2 { break }
        }
        #expect(loops == [3, 3])
        let third = await desk.call { _ in Issue.record("started beyond the bound") }
        #expect(code(third) == .tooManyRequests)
        #expect(
            registry.text().contains("belfry_calls 2\n") && registry.text().contains("belfry_calls_refused_total 1\n"))
        desk.close()
        #expect(await [code(first), code(second)] == [.outcomeUnknown, .outcomeUnknown])
        #expect(registry.text().contains("belfry_calls 0\n"))
    }

    @Test func `a call that does not start releases its place`() async {
        let desk = CallDesk(index: 0, limit: 1, metrics: PrometheusRegistry())
        for _ in 0..<3 {
            let answer = await desk.call { (_) throws(Rejection) in throw Rejection(.methodNotFound) }
            #expect(code(answer) == .methodNotFound)
        }
    }

    private func code(_ answer: Result<any Encodable & Sendable, Rejection>) -> ErrorCode? {
        guard case .failure(let rejection) = answer else { return nil }
        return rejection.code
    }
}
