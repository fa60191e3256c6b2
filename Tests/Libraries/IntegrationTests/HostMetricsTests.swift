import Belfry
import CoreMetrics
import Synchronization
import Testing

/// Metrics that the host records in addition to `/metrics`.
@Suite struct HostMetricsTests {
    private final class Counts: MetricsFactory, Sendable {
        final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
            let count = Atomic<Int64>(0)
            func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
            func reset() {}
            func set(_ value: Int64) {}
            func set(_ value: Double) {}
            func increment(by amount: Double) {}
            func decrement(by amount: Double) {}
            func record(_ value: Int64) {}
            func record(_ value: Double) {}
            func recordNanoseconds(_ duration: Int64) {}
        }

        let handlers = Mutex<[String: Handler]>([:])

        private func handler(_ label: String) -> Handler {
            handlers.withLock { handlers in
                let handler = handlers[label] ?? Handler()
                handlers[label] = handler
                return handler
            }
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label) }
        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { handler(label) }
        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            handler(label)
        }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label) }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyMeter(_ handler: any MeterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    @Test func `the host's metrics and the server's own record the same counts`() async throws {
        let counts = Counts()
        let server = try await TestServer { $0.metrics = counts }
        let ann = try await server.connect("ann")
        try await ann.rpc("channel.create", ["id": "general"])
        _ = try await ann.pushesUntilNow()
        let own = try await server.metric("belfry_commands_total")
        let host = counts.handlers.withLock { $0["belfry_commands_total"]?.count.load(ordering: .relaxed) }
        #expect(own.map(Int64.init) == host && (own ?? 0) > 0)
        await server.stop()
    }
}
