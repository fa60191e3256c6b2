import Gateway
import Testing
import WireProtocol

@testable import Transport

@Suite struct FairRoundsTests {
    private func all(_ rounds: inout FairRounds<String, Int>) -> [Int] {
        var served: [Int] = []
        while let member = rounds.next() { served.append(member) }
        return served
    }

    @Test func `each user is served once per round, and a user's connections in turn`() {
        var rounds = FairRounds<String, Int>()
        for number in 0..<4 { rounds.append(number, of: "mallory") }
        rounds.append(10, of: "ann")
        rounds.append(20, of: "bob")
        rounds.append(11, of: "ann")
        #expect(all(&rounds) == [0, 10, 20, 1, 11, 2, 3])
        #expect(rounds.isEmpty && rounds.next() == nil)
    }

    @Test func `a user waits for at most one turn of every other user`() {
        var rounds = FairRounds<String, Int>()
        for number in 0..<100 { rounds.append(number, of: "mallory") }
        #expect(rounds.next() == 0)
        #expect(rounds.contains("mallory") && !rounds.contains("ann"))
        // Mallory's connection 0 has more work, and queues after mallory's others.
        rounds.append(0, of: "mallory")
        rounds.append(1_000, of: "ann")
        #expect(rounds.next() == 1)
        #expect(rounds.next() == 1_000)
        #expect(all(&rounds) == Array(2..<100) + [0])
        #expect(!rounds.contains("mallory"))
    }
}

@Suite struct LateWritesTests {
    @Test func `an event that follows an answer is sent with it, and never before it`() {
        var late = LateWrites()
        late.append(.answer(command: 1, .success("large")))
        late.append(.answer(command: 2, .success("large")))
        late.append(.frames([1, 2], isAnswer: false))
        late.append(.frames([3], isAnswer: true))
        late.append(.answer(command: 3, .success("large")))
        #expect(late.byteCount == 3)
        #expect(late.nextFrames() == nil && late.nextAnswer()?.command == 1)
        #expect(late.nextFrames() == nil && late.nextAnswer()?.command == 2)
        #expect(late.nextAnswer() == nil && late.nextFrames()?.bytes == [1, 2])
        #expect(late.nextAnswer() == nil && late.nextFrames()?.isAnswer == true)
        #expect(late.byteCount == 0 && !late.isEmpty)
        #expect(late.nextFrames() == nil && late.nextAnswer()?.command == 3)
        #expect(late.isEmpty && late.nextAnswer() == nil && late.nextFrames() == nil)
    }
}
