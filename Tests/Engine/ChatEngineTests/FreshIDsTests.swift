import ChatModel
import Testing

@testable import ChatEngine

@Suite struct FreshIDsTests {
    @Test func `ids increase, even within a millisecond and when the clock goes back`() {
        var ids = FreshIDs(SystemRandomNumberGenerator())
        var last = MessageID(high: 0, low: 0)
        for number in 0..<10_000 as Range<Int64> {
            let next = ids.next(at: 1_780_000_000_000 + number / 100 - number % 3)
            #expect(next > last)
            last = next
        }
    }
}
