import ChatModel
import Gateway
import TestSupport
import Testing

@Suite struct RoomInterestTests {
    @Test func `loops are listed in the order they joined, each once`() {
        var interest = RoomInterest()
        let generations = [2, 0, 2, 1].map { interest.grant(general, to: $0) }
        #expect(interest.loops(in: general) == [2, 0, 1])
        #expect(interest.loops(in: random) == [])
        #expect(Set(generations).count == 4 && generations == generations.sorted())
        var seen: [Int] = []
        interest.forEachLoop(in: general) { seen.append($0) }
        #expect(seen == [2, 0, 1])
    }

    @Test func `only the latest grant can be released`() {
        var interest = RoomInterest()
        let first = interest.grant(general, to: 0)
        let second = interest.grant(general, to: 0)
        interest.release(general, by: 0, generation: first)
        #expect(interest.loops(in: general) == [0], "a later grant is on its way")
        interest.release(general, by: 1, generation: second)
        interest.release(random, by: 0, generation: second)
        #expect(interest.loops(in: general) == [0])
        interest.release(general, by: 0, generation: second)
        #expect(interest.loops(in: general) == [] && interest.roomCount == 0)
        interest.release(general, by: 0, generation: second)
        #expect(interest.roomCount == 0)
    }

    /// A loop that processes its posts late, as loops do: it never misses an event of a room it is interested in.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a loop is interested while it has a member or a pending grant`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var interest = RoomInterest()
        /// Posts in flight to the loop: a member joins with this generation, or a member leaves.
        var inbound: [UInt64?] = []
        var outbound: [UInt64] = []
        var members = 0
        var generation: UInt64 = 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: inbound.append(interest.grant(general, to: 0))
            case 1: inbound.append(nil)
            case 2 where !inbound.isEmpty:
                if let granted = inbound.removeFirst() {
                    members += 1
                    generation = granted
                } else if members > 0 {
                    members -= 1
                    if members == 0 { outbound.append(generation) }
                }
            default:
                if !outbound.isEmpty { interest.release(general, by: 0, generation: outbound.removeFirst()) }
            }
            let isNeeded = members > 0 || inbound.contains { $0 != nil }
            #expect(!isNeeded || interest.loops(in: general) == [0], "seed \(seed)")
            if !isNeeded, outbound.isEmpty { #expect(interest.roomCount == 0, "seed \(seed)") }
        }
    }
}
