import ChatModel
import TestSupport
import Testing

@Suite struct ByteOrderTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `texts are compared byte by byte, wherever they differ`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let start = random.text(upTo: 24)
            let (a, b) = (start + random.text(upTo: 3), start + random.text(upTo: 3))
            let order = ByteOrder.compare(a, b)
            #expect((order < 0) == a.utf8.lexicographicallyPrecedes(b.utf8), "seed \(seed)")
            #expect((order == 0) == a.utf8.elementsEqual(b.utf8), "seed \(seed)")
            #expect(ByteOrder.areEqual(a, b) == a.utf8.elementsEqual(b.utf8), "seed \(seed)")
            for (prefix, text) in [(a, b), (start, a), (a, start)] {
                #expect(ByteOrder.isPrefix(prefix, of: text) == text.utf8.starts(with: prefix.utf8), "seed \(seed)")
            }
            #expect(ByteOrder.areEqual(a, String(decoding: Array(a.utf8), as: UTF8.self)))
        }
    }

    @Test func `canonically equivalent texts are different`() {
        #expect(!ByteOrder.areEqual("\u{E9}", "e\u{301}"))
        #expect(ByteOrder.precedes("e\u{301}", "\u{E9}"))
        #expect(UserID("\u{E9}") != UserID("e\u{301}"))
    }
}
