import Synchronization
import Testing

@Suite struct ConfinementTests {
    @Test func `a timer that fires outside the engine's queue stops the process`() async {
        await #expect(processExitsWith: .failure) {
            let timers = Mutex<[@Sendable () -> Void]>([])
            let bench = Bench(later: { _, body in timers.withLock { $0.append(body) } })
            bench.attach(ann)
            withExtendedLifetime(bench) {
                for body in timers.withLock(\.self) { body() }
            }
        }
    }
}
