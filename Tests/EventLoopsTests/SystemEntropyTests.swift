import EventLoops
import Testing

@Suite struct SystemEntropyTests {
    @Test func `no number comes twice, also beyond what is fetched at once`() {
        let entropy = SystemEntropy()
        let numbers = (0..<1_000).map { _ in entropy.next() }
        #expect(Set(numbers).count == numbers.count)
        // Every bit is used: that one is never set, or always, has a chance of 2^-999.
        #expect(numbers.reduce(0, |) == .max)
        #expect(numbers.reduce(.max, &) == 0)
    }

    @Test func `two of them have nothing in common`() {
        let (one, other) = (SystemEntropy(), SystemEntropy())
        #expect(Set((0..<100).map { _ in one.next() }).isDisjoint(with: (0..<100).map { _ in other.next() }))
    }
}
