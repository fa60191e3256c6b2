import EventLoops
import Testing

@Suite struct SystemEntropyTests {
    @Test func `numbers do not repeat, even beyond one fetch`() {
        let entropy = SystemEntropy()
        let numbers = (0..<1_000).map { _ in entropy.next() }
        #expect(Set(numbers).count == numbers.count)
        // Every bit varies: the chance that a bit is never or always set is 2^-999.
        #expect(numbers.reduce(0, |) == .max)
        #expect(numbers.reduce(.max, &) == 0)
    }

    @Test func `two generators produce disjoint values`() {
        let (one, other) = (SystemEntropy(), SystemEntropy())
        #expect(Set((0..<100).map { _ in one.next() }).isDisjoint(with: (0..<100).map { _ in other.next() }))
    }
}
