import Dispatch
import Synchronization
import Testing

@testable import Belfry

/// The watchdog is notified only while the server works.
@Suite struct WatchdogTests {
    /// Blocks a queue until released.
    private final class Hang: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let isOver = Atomic<Bool>(false)

        func end() {
            isOver.store(true, ordering: .sequentiallyConsistent)
            semaphore.signal()
        }
    }

    @Test(arguments: ["first loop", "last loop", "chat"])
    func `the turn counter stops while a queue hangs`(queue: String) async throws {
        let server = try await TestServer { $0.loopCount = 3 }
        await server.server.waitForTurns()
        let hang = Hang()
        switch queue {
        case "first loop": server.server.loops[0].post { hang.semaphore.wait() }
        case "last loop": server.server.loops[2].post { hang.semaphore.wait() }
        default: server.server.services.chat.engine.withFileIDs { _ in hang.semaphore.wait() }
        }
        async let turn: Bool = {
            await server.server.waitForTurns()
            return hang.isOver.load(ordering: .sequentiallyConsistent)
        }()
        // The other loops continue.
        await withCheckedContinuation { done in server.server.loops[1].post { done.resume() } }
        hang.end()
        #expect(await turn)
        await server.stop()
    }
}
