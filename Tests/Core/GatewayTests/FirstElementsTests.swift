import Gateway
import TestSupport
import Testing

@Suite struct FirstElementsTests {
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `the first elements match those of a full sort`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let all = (0..<Int.random(in: 0...200, using: &generator)).map { _ in Int.random(in: 0...99, using: &generator)
        }
        let limit = Int.random(in: 0...20, using: &generator)
        var first = FirstElements<Int>(limit)
        for element in all {
            first.insert(element)
            #expect(first.elements.count <= limit)
        }
        #expect(first.elements == all.sorted().prefix(limit).map(\.self), "seed \(seed)")
    }

    @Test func `a limit below one keeps nothing`() {
        var first = FirstElements<Int>(-1)
        first.insert(1)
        #expect(first.elements.isEmpty)
    }
}
