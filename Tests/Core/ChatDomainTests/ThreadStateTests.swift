import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct ThreadStateTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `T4: the ranking matches a naive count after any replies and deletions`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let crowd = (0..<3 * ThreadState.mostRepliedLimit).compactMap { UserID("m\($0)") }
        var thread = ThreadState()
        // Users by their numbers in the crowd, because comparing numbers is faster.
        var replies: [(place: Int, number: Int)] = []
        for place in 0..<400 {
            if replies.count > 80, random.chance(percent: 60) {
                let gone = replies.remove(at: Int.random(in: replies.indices, using: &random))
                thread.remove(gone.place, by: crowd[gone.number]) { Int64($0) }
            } else {
                let number = Int.random(in: crowd.indices, using: &random)
                replies.append((place, number))
                thread.append(place, by: crowd[number], at: Int64(place))
            }
            var firsts: [Int] = []
            var counts = Array(repeating: 0, count: crowd.count)
            for reply in replies {
                if counts[reply.number] == 0 { firsts.append(reply.number) }
                counts[reply.number] += 1
            }
            let ranking = firsts.enumerated().sorted {
                let (a, b) = (counts[$0.element], counts[$1.element])
                return a != b ? a > b : $0.offset < $1.offset
            }
            let most = ranking.prefix(ThreadState.mostRepliedLimit).map { crowd[$0.element] }
            #expect(thread.mostReplied == most, "seed \(seed)")
            #expect(thread.repliers.map(\.user) == firsts.map { crowd[$0] }, "seed \(seed)")
        }
    }
}
