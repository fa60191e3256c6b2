import TestSupport
import Testing
import TextRules

@Suite struct MaskTests {
    private func masked(_ rules: [TextRule.Content], _ text: String) throws -> String {
        let set = try TextRuleSet(rules.enumerated().map { TextRule(id: "\($0)", $1, .mask) })
        guard case .masked(let masked, _, _) = set.verdict(of: text, customType: nil) else { return text }
        return masked
    }

    @Test(arguments: [
        ("bad", "a bad day", "a *** day"), ("bad", "BÄD!", "***!"), ("bad", "b\u{200B}a\u{200D}d", "***"),
        ("bad", "e\u{301} ba\u{301}d e\u{301}", "e\u{301} *** e\u{301}"), ("bad", "b a d", "*****"),
        ("bad", "so b.a.d.", "so *****."), ("bad*", "badly bad", "***** ***"), ("*bad*", "sinbadly", "********"),
        ("very bad", "very  bad", "*********"), ("strasse", "die Straße", "die ******"), ("🍆", "👨‍👩‍👧🍆🎉", "👨‍👩‍👧*🎉"),
        ("bad", "👩‍💻 bad 👩‍💻", "👩‍💻 *** 👩‍💻"), ("東京", "私は東京都に", "私は**都に"), ("bad", "baaaad", "******"),
        ("bad", "bad\u{200B}", "***\u{200B}"), ("bad", "\r\nbad\r\n", "\r\n***\r\n"),
        ("bad", "bad\u{301}\u{20DD} x", "*** x"),
        ("bad", "bad bad,bad", "*** ***,***"), ("fin", "ﬁn", "**"),
    ])
    func `MO3: a match becomes one asterisk for each character that is seen`(
        word: String, text: String, expected: String
    )
        throws
    {
        #expect(try masked([.words([word])], text) == expected)
    }

    @Test(arguments: [
        ("a+", "baaad aa", "b***d **"), ("é", "é e", "* e"), ("e", "é e\u{301} e", "* * *"),
        (#"\d"#, "1\u{FE0F}\u{20E3} 2", "* *"), ("i", "ﬁ", "*"),
        (#"\C"#, "é", "*"), ("s", "ß", "*"), ("x", "x\u{200B}x", "*\u{200B}*"), ("xx", "x\u{200B}x", "**"),
        ("👩", "👩‍💻!", "*!"),
    ])
    func `MO3: a pattern masks whole characters`(pattern: String, text: String, expected: String) throws {
        #expect(try masked([.pattern(pattern)], text) == expected)
    }

    @Test func `MO3: what a mask leaves is refused if a rule refuses it`() throws {
        let set = try TextRuleSet([
            TextRule(id: "refuse", .words(["idiot"]), .refuse), TextRule(id: "mask", .pattern("[0-9]{4,}"), .mask),
        ])
        #expect(set.verdict(of: "idiot1234", customType: nil) == .refused("refuse"))
        #expect(set.verdict(of: "idio1234", customType: nil) == .masked("idio****", rules: ["mask"], reports: []))
    }

    @Test func `MO3: a text that each mask gives a new match is masked as a whole`() throws {
        // Each asterisk makes the next letter a word.
        let set = try TextRuleSet([TextRule(id: "r", .pattern("(^|[*])[a-z]"), .mask)])
        guard case .masked(let masked, _, _) = set.verdict(of: "abcdefghij", customType: nil) else {
            Issue.record("not masked")
            return
        }
        #expect(masked == "**********")
    }

    @Test func `MO3: a text that is masked as a whole is refused if a rule refuses that`() throws {
        let set = try TextRuleSet([
            TextRule(id: "mask", .pattern("(^|[*])[a-z]"), .mask),
            TextRule(id: "refuse", .pattern("[*]{10}"), .refuse),
        ])
        #expect(set.verdict(of: "abcdefghij", customType: nil) == .refused("refuse"))
    }

    @Test func `MO3: matches that overlap, and those that a mask leaves, are masked too`() throws {
        #expect(try masked([.pattern("abc"), .pattern("cde")], "xabcdex") == "x*****x")
        #expect(try masked([.words(["foo"]), .pattern("-?x")], "fooxfoo") == "*******")
        #expect(try masked([.words(["bad", "x"])], "b x a x d") == "*********")
    }

    private static let words = ["bad", "rude word", "foul*", "*vile", "*ick*", "東京", "🍆", "хуй", "ass", "boo"]
    private static let pieces = [
        "b", "a", "d", "bad", "rude", "word", "foul", "ly", "vile", "kick", "東", "京", "🍆", "ху", "й", "x", "о", "ass",
        "boo", "oo",
        " ", " ", ".", "-", "\n", "\u{200B}", "\u{AD}", "\u{301}", "\u{FE0F}", "\u{200D}", "Ａ", "𝐛", "ß", "ﬁ", "👩‍💻", "é",
        "*", "1",
    ]

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `MO3: a masked text has no match any more, and nothing else is changed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let set = try TextRuleSet([TextRule(id: "r", .words(Self.words), .mask)])
        let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in random.pick(Self.pieces) }.joined()
        let findings = try #require(set.findings(in: text, customType: nil))
        guard case .masked(let masked, _, _) = set.verdict(of: text, customType: nil) else {
            #expect(findings.isEmpty, "seed \(seed)")
            return
        }
        #expect(!findings.isEmpty, "seed \(seed)")
        #expect(set.verdict(of: masked, customType: nil) == .allowed, "seed \(seed): \(text) → \(masked)")
        // Each character is the same, an asterisk, or invisible and gone.
        var rest = Array(masked)[...]
        for character in text {
            if rest.first == character || rest.first == "*" && character != "\u{200B}" && character != "\u{AD}" {
                rest.removeFirst()
            } else {
                let isInvisible = character.unicodeScalars.allSatisfy {
                    $0.properties.isDefaultIgnorableCodePoint || $0.properties.generalCategory == .format
                }
                #expect(isInvisible, "seed \(seed): \(text) → \(masked)")
            }
        }
        #expect(rest.isEmpty, "seed \(seed): \(text) → \(masked)")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `MO3: the places of a match are those of its letters in the text`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let set = try TextRuleSet([
            TextRule(id: "w", .words(["needle"]), .report), TextRule(id: "p", .pattern("needle"), .report),
        ])
        let noise = ["🎉", "é", "東京", " ", "e\u{301}", "\u{200B}", "abc", "ß", "👩‍💻", "\n", "д"]
        var text = ""
        var expected: [Range<Int>] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            text += (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(noise) }.joined() + " "
            let start = text.utf16.count
            for letter in "needle" {
                if letter != "n", random.chance(3) {
                    text += random.pick(["\u{200B}", "\u{AD}", "\u{2060}", "\u{1F}"])
                }
                text += random.pick([String(letter), letter.uppercased()])
            }
            expected.append(start..<text.utf16.count)
            text += " "
        }
        let findings = try #require(set.findings(in: text, customType: nil))
        #expect(findings.map(\.rule) == ["w", "p"], "seed \(seed): \(text)")
        #expect(findings.allSatisfy { $0.ranges == expected }, "seed \(seed): \(text)")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `MO3: any text has a verdict and any places are in its bounds`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let set = try TextRuleSet([
            TextRule(id: "w", .words(["*a*", "b c", "x"]), .mask), TextRule(id: "p", .pattern("[^a-z ]{2}|e"), .mask),
            TextRule(id: "d", .allowedDomains(["example.com"]), .mask),
            TextRule(id: "f", .forbiddenDomains(["a.b"]), .report),
        ])
        var text = random.text(upTo: 300)
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            text +=
                random.pick(["https://", ".", "@", "/", "a.com", "xn--", "。", "%41", "[", ":", "\\"])
                + random.text(upTo: 10)
        }
        _ = set.verdict(of: text, customType: nil)
        for finding in try #require(set.findings(in: text, customType: nil)) {
            #expect(finding.ranges.allSatisfy { !$0.isEmpty && $0.upperBound <= text.utf16.count }, "seed \(seed)")
        }
    }
}
