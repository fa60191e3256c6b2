import ChatDomain
import ChatModel
import Dispatch
import Testing

/// More work than the engine or a loop can handle.
@Suite struct OverloadTests {
    @Test func `commands beyond the queue's limit are refused immediately with 111`() {
        let bench = Bench(commandsWaiting: 2)
        bench.change(CreateChannel(id: general), as: ann)
        bench.log.sync()
        _ = bench.ear.news()
        let (busy, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        bench.engine.barrier {
            busy.signal()
            _ = free.wait(timeout: .now() + .seconds(10))
        }
        busy.wait()
        for command in 1...4 as ClosedRange<UInt32> {
            bench.engine.query(GetUser(), as: .user(ann), answerTo: bench.address(command))
        }
        #expect(bench.ear.news() == ["answer 3 111", "answer 4 111"])
        free.signal()
        bench.settle()
        #expect(bench.ear.news() == ["answer 1", "answer 2"])
        bench.query(GetUser(), as: ann, 5)
        #expect(bench.ear.news() == ["answer 5"])
    }

    @Test func `while one loop has too much to deliver, commands from every loop are refused with 111`() {
        let bench = Bench(loops: 2, deliveriesWaiting: 5)
        bench.ears[1].waiting.withLock { $0 = 5 }
        bench.query(GetUser(), as: ann, 1)
        bench.ears[1].waiting.withLock { $0 = 6 }
        bench.query(GetUser(), as: ann, 2)
        bench.attach(ann, 3)
        bench.ears[1].waiting.withLock { $0 = 5 }
        bench.query(GetUser(), as: ann, 4)
        bench.log.sync()
        #expect(bench.ear.news().sorted() == ["answer 1", "answer 2 111", "answer 3 111", "answer 4"])
    }
}
