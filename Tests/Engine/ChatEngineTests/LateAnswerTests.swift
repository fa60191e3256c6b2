import ChatModel
import Gateway
import Synchronization
import Testing

@testable import ChatEngine

/// Frames that wait too long for the cluster's log.
@Suite struct LateAnswerTests {
    private func makeBench() -> Bench {
        let bench = Bench()
        bench.change(CreateChannel(id: general), as: ann)
        bench.attach(ann)
        bench.log.sync()
        _ = bench.ear.news()
        return bench
    }

    @Test func `a late command is answered with 1041 once, and its event follows when it is stored`() {
        let bench = makeBench()
        bench.change(SendMessage(channelID: general, text: "late"), as: ann, 7)
        let late = bench.log.pending
        for _ in 0..<2 { bench.publisher.answerLate(late) }
        bench.log.queue.enter {}
        #expect(bench.ear.news() == ["answer 7 1041"])
        bench.log.sync()
        #expect(bench.ear.news() == ["general 2 message.new"])
        // By now, it is too late for that.
        bench.publisher.answerLate(late)
        bench.log.queue.enter {}
        #expect(bench.ear.news() == [])
    }

    @Test func `a request with an idempotency key waits for the real answer`() {
        let bench = makeBench()
        let answers = Mutex<[Bool]>([])
        let claim = AnswerClaim(request: []) { _ in nil }
        let address = ReturnAddress(claim: claim) { answer in
            answers.withLock { $0.append((try? answer.get()) != nil) }
        }
        bench.engine.change(SendMessage(channelID: general, text: "late"), as: .user(ann), answerTo: address)
        bench.settle()
        bench.publisher.answerLate(bench.log.pending)
        bench.log.queue.enter {}
        #expect(answers.withLock(\.self) == [])
        bench.log.sync()
        #expect(answers.withLock(\.self) == [true])
    }
}
