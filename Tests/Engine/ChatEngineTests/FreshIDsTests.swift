import ChatModel
import Testing

@testable import ChatEngine

@Suite struct FreshIDsTests {
    @Test func `ids increase, even within a millisecond or when the clock goes back`() {
        var ids = FreshIDs(SystemRandomNumberGenerator())
        var last = MessageID(high: 0, low: 0)
        for number in 0..<10_000 as Range<Int64> {
            let next = ids.next(at: 1_780_000_000_000 + number / 100 - number % 3)
            #expect(next > last)
            last = next
        }
    }

    /// The clock may be set back while the server is down.
    @Test func `ids are greater than those of an earlier process, even within one millisecond`() {
        let earlier = MessageID(milliseconds: 1_780_000_000_000, random: (.max, .max - 7))
        var ids = FreshIDs(SystemRandomNumberGenerator())
        ids.advance(past: earlier)
        ids.advance(past: MessageID(high: 0, low: 0))
        #expect(ids.next(at: 1_780_000_000_000) > earlier)
        #expect(ids.next(at: 0) > earlier)
    }
}
