import SearchText
import TestSupport
import Testing

@Suite struct SearchPatternTests {
    private func marks(_ query: String, _ text: String) -> [String]? {
        let units = Array(text.utf16)
        let match = SearchMatcher(SearchPattern(query)).match(in: text)
        return match?.marks.map { String(decoding: units[$0], as: UTF16.self) }
    }

    @Test(
        arguments: [
            ("strasse", "In der STRAßE", ["STRAßE"]), ("天気", "今日の天気予報", ["天気"]), ("東京", "東京都", ["東京"]),
            ("天", "今日の天気", ["天"]), ("天*", "雨天", ["天"]), ("東京都", "東京都知事", ["東京都"]),
            ("ring*", "Ringing the bell rings", ["Ringing", "rings"]),
            ("bell the", "The BELL, the bell", ["The", "BELL", "the", "bell"]),
            ("\"town hall\"", "the town hall", ["town hall"]), ("“town hall", "the town, hall", ["town, hall"]),
            ("e-mail", "an e mail", ["e mail"]), ("\"専用 iphone\"", "専用 iPhone", ["専用 iPhone"]), ("🎉", "yes 🎉!", ["🎉"]),
            ("NOT", "do not", ["not"]), ("a:b^c", "a b c", ["a b c"]), ("x AND y", "and x y", ["and", "x", "y"]),
        ] as [(String, String, [String])])
    func `SE1: a pattern is found in a text, and the places are marked`(
        query: String, text: String, expected: [String]
    ) {
        #expect(marks(query, text) == expected)
    }

    @Test(arguments: [
        ("bell", "bells"), ("ell*", "bell"), ("town hall x", "town hall"), ("\"hall town\"", "town hall"),
        ("京都府", "東京都"), ("東都", "東京都"), ("がく", "かく"), ("\"ring*\"", "rings"), ("", ""), ("*", "a"), ("\"\"", "a"),
    ])
    func `SE1: a pattern is not found in a text that lacks a term`(query: String, text: String) {
        #expect(marks(query, text) == nil)
    }

    @Test(arguments: ["", " \n", "*", "\"", "\"\"", "!? ()", "\u{0}", "\u{301}", "\u{200D}"])
    func `SE1: a query without words has no terms`(query: String) {
        #expect(SearchPattern(query).terms.isEmpty)
    }

    @Test func `SE1: repeated terms count once, and marks are bounded`() throws {
        #expect(SearchPattern(Array(repeating: "a \"b c\"", count: 5_000).joined(separator: " ")).terms.count == 2)
        let match = try #require(
            SearchMatcher(SearchPattern("a")).match(in: Array(repeating: "a", count: 5_000).joined(separator: " ")))
        #expect(match.marks.count == SearchMatch.markLimit)
    }

    @Test func `SE1: more occurrences in a shorter text score higher`() throws {
        let bell = SearchMatcher(SearchPattern("bell"))
        let texts = ["bell bell", "bell", "a bell in a long text of many other words", "no"]
        let scores = texts.map { bell.match(in: $0)?.score ?? 0 }
        #expect(scores == scores.sorted(by: >) && Set(scores).count == 4)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `SE1: any query and any text are compared without a trap, and a text contains its own words`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = random.text(upTo: 100)
        _ = SearchMatcher(SearchPattern(random.text(upTo: 100))).match(in: text)
        let words = SearchWords(text)
        for token in words.tokens where token.kind != .last {
            #expect(marks(words.text(of: token), text) != nil, "seed \(seed)")
        }
    }
}
