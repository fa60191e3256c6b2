import Testing
import TextRules

@Suite struct TextRuleSetTests {
    private func rule(_ id: String, _ word: String, _ action: TextRule.Action, _ types: [String]? = nil) -> TextRule {
        TextRule(id: id, .words([word]), action, customTypes: types)
    }

    @Test func `MO3: refusing wins over masking, and masking goes with reporting`() throws {
        let set = try TextRuleSet([
            rule("report", "odd", .report), rule("mask", "rude", .mask), rule("refuse", "vile", .refuse),
            TextRule(id: "digits", .pattern("[0-9]{3}"), .mask), rule("refuse too", "foul", .refuse),
            TextRule(id: "links", .forbiddenDomains(["evil.com"]), .report),
        ])
        let expected: [(String, TextVerdict)] = [
            ("fine", .allowed), ("", .allowed), ("odd", .reported(["report"])),
            ("evil.com is odd", .reported(["report", "links"])),
            ("rude", .masked("****", rules: ["mask"], reports: [])),
            (
                "odd, rude 1234 évil.com",
                .masked("odd, **** ***4 évil.com", rules: ["mask", "digits"], reports: ["report"])
            ),
            ("odd rude vile 123", .refused("refuse")), ("foul vile", .refused("refuse")),
            ("foul", .refused("refuse too")),
        ]
        for (text, verdict) in expected { #expect(set.verdict(of: text, customType: nil) == verdict, "\(text)") }
    }

    @Test func `MO3: a rule for a custom type applies in channels of that type only`() throws {
        let set = try TextRuleSet([
            rule("all", "bad", .report), rule("kids", "bad", .refuse, ["kids", "school"]),
            rule("support", "bad", .mask, ["support"]),
        ])
        #expect(set.verdict(of: "bad", customType: nil) == .reported(["all"]))
        #expect(set.verdict(of: "bad", customType: "other") == .reported(["all"]))
        #expect(set.verdict(of: "bad", customType: "kids") == .refused("kids"))
        #expect(set.verdict(of: "bad", customType: "school") == .refused("kids"))
        #expect(set.verdict(of: "bad", customType: "support") == .masked("***", rules: ["support"], reports: ["all"]))
        #expect(set.findings(in: "bad", customType: "kids")?.map(\.rule) == ["all", "kids"])
    }

    @Test func `MO3: a dry run lists all rules with their places in UTF-16 units`() throws {
        let set = try TextRuleSet([
            rule("word", "bad", .refuse), TextRule(id: "digits", .pattern(#"\d+"#), .report),
            TextRule(id: "link", .forbiddenDomains(["evil.com"]), .mask), rule("none", "good", .mask),
        ])
        let text = "🎉 b\u{200B}äd 42 é7, https://evil.com/x! BAD"
        let units = Array(text.utf16)
        let findings = try #require(set.findings(in: text, customType: nil))
        #expect(findings.map(\.rule) == ["word", "digits", "link"])
        #expect(findings.map(\.action) == [.refuse, .report, .mask])
        let places = findings.map { $0.ranges.map { String(decoding: units[$0], as: UTF16.self) } }
        #expect(places == [["b\u{200B}äd", "BAD"], ["42", "7"], ["https://evil.com/x"]])
        #expect(set.findings(in: "fine", customType: nil) == [])
        let many = try #require(set.findings(in: String(repeating: "1 ", count: 500), customType: nil))
        #expect(many.map(\.ranges.count) == [TextRuleLimits.rangesPerFinding])
    }

    @Test func `MO3: an invalid set is refused, and the error names the rule at fault`() {
        func error(_ rules: [TextRule]) -> TextRuleError? {
            do { _ = try TextRuleSet(rules) } catch { return error }
            return nil
        }
        let long = String(repeating: "x", count: 129)
        #expect(error([rule("a", "x", .mask), rule("a", "y", .mask)]) == .duplicateID("a"))
        #expect(error([rule("", "x", .mask)]) == .badID(""))
        #expect(error([rule(long, "x", .mask)]) == .badID(long))
        #expect(error([TextRule(id: "a", .words([]), .mask)]) == .empty(id: "a"))
        #expect(error([TextRule(id: "a", .allowedDomains([]), .mask)]) == .empty(id: "a"))
        #expect(error([rule("a", "x", .mask, [])]) == .empty(id: "a"))
        #expect(error([rule("a", "x", .mask, [long])]) == .tooLarge(id: "a"))
        #expect(error([rule("ok", "x", .mask), rule("a", "x!", .mask)]) == .badWord(id: "a", word: "x!"))
        #expect(error([TextRule(id: "a", .words(Array(repeating: "x", count: 250)), .mask)]) == nil)
        #expect(error([TextRule(id: "a", .words(Array(repeating: "x", count: 251)), .mask)]) == .tooLarge(id: "a"))
        let rules = (0...TextRuleLimits.rules).map { rule("\($0)", "x", .mask) }
        #expect(error(rules) == .tooManyRules(count: rules.count))
        let words = (0..<5_000).map { rule("\($0)", String(repeating: "x", count: 250), .mask) }
        #expect(error(words) == .tooManyBytes(count: 1_048_750))
        #expect(error([]) == nil)
    }

    @Test func `MO3: a set that does not fit in the memory is refused`() throws {
        let words = (0..<1_000).map { rule("\($0)", "word\($0)", .mask) }
        #expect(throws: TextRuleError.outOfMemory(id: nil)) { try TextRuleSet(words, memory: 100_000) }
        _ = try TextRuleSet(words, memory: 1 << 20)
        let patterns = (0..<100).map { TextRule(id: "\($0)", .pattern("abc\($0)[a-z]+def"), .mask) }
        #expect(throws: TextRuleError.self) { try TextRuleSet(patterns, memory: 100_000) }
        // A pattern without a literal goes into an automaton that is built while it searches.
        let broad = [TextRule(id: "a", .pattern(#"\d+-\d+"#), .mask)]
        for memory in stride(from: 1_000, to: 60_000, by: 1_000) {
            guard let set = try? TextRuleSet(broad, memory: memory) else { continue }
            #expect(set.verdict(of: "call 555-1234 now", customType: nil) != .allowed, "\(memory)")
        }
    }

    @Test func `MO3: ten thousand rules of each kind have their verdicts`() throws {
        for kind in 0..<3 {
            let rules = (0..<TextRuleLimits.rules).map { index in
                let content: TextRule.Content =
                    switch kind {
                    case 0: .words(["word\(index)", "half\(index)*"])
                    case 1: .pattern("key\(index)(?:x|y)z")
                    default: .forbiddenDomains(["site\(index).com"])
                    }
                return TextRule(id: "\(index)", content, .refuse)
            }
            let set = try TextRuleSet(rules)
            let hits = [
                ["word7777", "half4321yz"], ["KEY7777xz", "akey4321yza"], ["https://site7777.com", "a.site4321.com"],
            ]
            #expect(set.verdict(of: "a \(hits[kind][0]) b", customType: nil) == .refused("7777"))
            let second = try #require(set.findings(in: "a \(hits[kind][1]) b", customType: nil)).map(\.rule)
            #expect(second.last == "4321")
            #expect(set.verdict(of: "word key1 site half.com", customType: nil) == .allowed)
        }
    }

    @Test func `MO3: rules that match everything mask everything once`() throws {
        let everything = [
            TextRule(id: "any", .pattern("(?s)."), .mask), TextRule(id: "letters", .words(["*e*", "*a*"]), .mask),
            TextRule(id: "all", .pattern("(?s).+"), .mask), TextRule(id: "stars", .pattern(#"\*"#), .mask),
        ]
        let text = "a e 🎉é\n"
        #expect(
            try TextRuleSet(everything).verdict(of: text, customType: nil)
                == .masked("*******", rules: ["any", "letters", "all"], reports: []))
        let many = try TextRuleSet((0..<500).map { TextRule(id: "\($0)", .pattern("(?s)."), .mask) })
        let long = String(repeating: "a b ", count: 1_000)
        let masked = String(repeating: "*", count: long.count)
        guard case .masked(masked, let rules, []) = many.verdict(of: long, customType: nil) else {
            Issue.record("not masked")
            return
        }
        #expect(rules.count == 500)
        let refusing = try TextRuleSet((0..<10_000).map { TextRule(id: "\($0)", .words(["*a*"]), .refuse) })
        #expect(refusing.verdict(of: long, customType: nil) == .refused("0"))
        #expect(refusing.findings(in: "ab", customType: nil)?.count == 10_000)
    }

    @Test func `MO3: thousands of patterns that every text is compared with are refused`() {
        #expect(throws: TextRuleError.tooBroad) {
            try TextRuleSet((0..<10_000).map { TextRule(id: "\($0)", .pattern("."), .refuse) })
        }
    }
}
