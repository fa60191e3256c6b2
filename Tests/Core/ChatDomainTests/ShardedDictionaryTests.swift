import TestSupport
import Testing

@testable import ChatDomain

@Suite struct ShardedDictionaryTests {
    /// A key with its own hash, so that a test can choose the shard.
    private struct Key: ShardKey {
        let number: Int
        var shard: Int { number }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a sharded dictionary behaves like a dictionary, before and after it splits into shards`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sharded = ShardedDictionary<Key, Int>()
        var plain: [Int: Int] = [:]
        var most = 0
        for step in 0..<16_000 {
            let number = Int.random(in: 0..<(step < 3_000 ? 2_000 : 20_000), using: &random)
            let key = Key(number: number)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: #expect(sharded.removeValue(forKey: key) == plain.removeValue(forKey: number))
            case 1: (sharded[key], plain[number]) = (nil, nil)
            case 2:
                sharded.change(key, default: 5) { $0 += 1 }
                plain[number, default: 5] += 1
            case 3:
                sharded[key]? += 1
                plain[number]? += 1
            case 4: #expect(sharded.updateValue(step, forKey: key) == plain.updateValue(step, forKey: number))
            default: (sharded[key], plain[number]) = (step, step)
            }
            #expect(sharded.count == plain.count && sharded[key] == plain[number])
            most = max(most, plain.count)
            guard step % 4_000 == 2_500 else { continue }
            expectSame(sharded, plain)
            sharded.removeAll { $0 % 20 == 0 }
            plain = plain.filter { $0.value % 20 != 0 }
            expectSame(sharded, plain)
        }
        #expect(most > 1_024, "it has spread")
    }

    private func expectSame(_ sharded: ShardedDictionary<Key, Int>, _ plain: [Int: Int]) {
        #expect(sharded.map(\.key.number).sorted() == plain.keys.sorted())
        #expect(
            sharded.keys.map(\.number) == sharded.map(\.key.number) && Array(sharded.values) == sharded.map(\.value))
        #expect(sharded.allSatisfy { plain[$0.key.number] == $0.value })
        #expect(sharded.isEmpty == plain.isEmpty && sharded.indices.count == plain.count)
    }

    @Test func `iteration skips empty shards`() {
        var sharded = ShardedDictionary<Key, Int>()
        // All keys fall into one of the 64 shards.
        for number in 0..<5_000 { sharded[Key(number: 64 * number + 40)] = number }
        #expect(sharded.map(\.value).sorted() == Array(0..<5_000))
        for number in 1..<5_000 { _ = sharded.removeValue(forKey: Key(number: 64 * number + 40)) }
        #expect(sharded.map(\.value) == [0])
        sharded[Key(number: 40)] = nil
        #expect(sharded.isEmpty && sharded.startIndex == sharded.endIndex)
    }
}
