import SearchText
import TestSupport
import Testing

@Suite struct SearchWordsTests {
    private func words(_ text: String) -> [String] {
        let words = SearchWords(text)
        return words.tokens.map { words.text(of: $0) }
    }

    @Test(arguments: [
        ("Straße", "STRASSE"), ("ẞ", "ss"), ("Élan", "elan"), ("e\u{301}lan", "ÉLAN"), ("İstanbul", "istanbul"),
        ("ΟΔΟΣ", "οδός"), ("ﬁn", "FIN"), ("Łódź", "lodz"), ("ＡＢＣ１", "abc1"), ("ŒUVRE", "oeuvre"),
        ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"), ("co\u{AD}operate", "cooperate"),
        ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום"), ("ёлка", "ЕЛКА"),
    ])
    func `SE1: two spellings of a word have the same token`(a: String, b: String) {
        #expect(words(a) == words(b) && words(a).count == 1)
    }

    @Test(arguments: [
        ("Das Wetter in 東京都。", ["das", "wetter", "in", "東京", "京都", "都"]), ("天", ["天"]),
        ("カタカナ", ["カタ", "タカ", "カナ", "ナ"]), ("iPhone用ケース", ["iphone", "用ケ", "ケー", "ース", "ス"]),
        ("don't e-mail", ["don", "t", "e", "mail"]), ("", []), ("\u{0}!?*\"'() \n", []), ("a\u{0}b", ["a", "b"]),
        ("hi🎉🎉", ["hi", "🎉", "🎉"]), ("👩‍💻", ["👩", "💻"]), ("1️⃣", ["1"]), ("\u{301}\u{302}", []),
    ])
    func `SE1: a text is divided into words, symbols and pairs of letters`(text: String, expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test func `SE1: a decomposed kana is the same as a composed one`() {
        #expect(words("か\u{3099}く") == words("がく"))
        #expect(words("がく") != words("かく"))
    }

    @Test func `SE1: tokens name their places in UTF-16 units`() {
        let text = "a 🎉 Straße 東京"
        let units = Array(text.utf16)
        let found = SearchWords(text).tokens.map { String(decoding: units[$0.range], as: UTF16.self) }
        #expect(found == ["a", "🎉", "Straße", "東京", "京"])
    }

    @Test func `SE1: long words and piles of marks stay short`() {
        let long = words(String(repeating: "x", count: 10_000))
        #expect(long == [String(repeating: "x", count: SearchWords.scalarLimit)])
        let marks = String(repeating: "\u{3099}", count: 10_000)
        #expect(words("か" + marks).allSatisfy { $0.utf8.count < 200 })
        #expect(words("q" + String(repeating: "\u{301}", count: 10_000)) == ["q"])
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `SE1: any text has tokens in order, in its bounds, without a character of the index's query language`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let text = random.text(upTo: 200)
        let words = SearchWords(text)
        var start = 0
        for token in words.tokens {
            #expect(token.range.lowerBound >= start && token.range.upperBound <= text.utf16.count, "seed \(seed)")
            start = token.range.lowerBound
            let folded = words.text(of: token)
            #expect(!folded.isEmpty, "seed \(seed)")
            let ascii = folded.utf8.filter { $0 < 0x80 }
            #expect(ascii.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }, "seed \(seed)")
        }
    }
}
