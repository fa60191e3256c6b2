import ChatModel
import Testing

@testable import ChatEngine

@Suite(.timeLimit(.minutes(10)))
struct EngineWakeTests {
    @Test func `a loop's queued commands are executed when it wakes the engine`() {
        let bench = Bench()
        bench.attach(ann)
        bench.log.sync()
        // The turn that attached her may still check for more.
        bench.engine.queue.enter {}
        _ = bench.ear.news()
        bench.ear.defersWakes.withLock { $0 = true }
        for command in 1...3 as ClosedRange<UInt32> {
            bench.engine.query(GetUser(userID: ann), as: .user(ann), answerTo: bench.address(command))
        }
        bench.engine.queue.enter {}
        #expect(bench.ear.news() == [])
        bench.engine.wake()
        bench.engine.queue.enter {}
        #expect(bench.ear.news() == ["answer 1", "answer 2", "answer 3"])
    }

    @Test func `work from another loop includes the queued commands, in order`() {
        let bench = Bench(loops: 2)
        bench.attach(ann)
        bench.log.sync()
        // The turn that attached her may still check for more.
        bench.engine.queue.enter {}
        _ = bench.ear.news()
        bench.ear.defersWakes.withLock { $0 = true }
        bench.engine.query(GetUser(userID: ann), as: .user(ann), answerTo: bench.address(1))
        bench.engine.query(GetUser(userID: ann), as: .user(ann), answerTo: bench.address(2, loop: 1))
        bench.engine.queue.enter {}
        #expect(bench.ears.map { $0.news() } == [["answer 1"], ["answer 2"]])
    }
}
