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
        var replies: [(place: Int, user: UserID)] = []
        for place in 0..<400 {
            if replies.count > 80, random.chance(percent: 60) {
                let gone = replies.remove(at: Int.random(in: replies.indices, using: &random))
                thread.remove(gone.place, by: gone.user) { Int64($0) }
            } else {
                let user = random.pick(crowd)
                replies.append((place, user))
                thread.append(place, by: user, at: Int64(place))
            }
            var firsts: [UserID] = []
            for reply in replies where !firsts.contains(reply.user) { firsts.append(reply.user) }
            let counts = Dictionary(replies.map { ($0.user, 1) }, uniquingKeysWith: +)
            let ranking = firsts.enumerated().sorted {
                let (a, b) = (counts[$0.element, default: 0], counts[$1.element, default: 0])
                return a != b ? a > b : $0.offset < $1.offset
            }
            #expect(
                thread.mostReplied == ranking.prefix(ThreadState.mostRepliedLimit).map(\.element), "seed \(seed)")
            #expect(thread.repliers.map(\.user) == firsts, "seed \(seed)")
        }
    }
}
