import Testing
import TextRules

@Suite struct PatternRuleTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        let set = try TextRuleSet([TextRule(id: "r", .pattern(pattern), .refuse)])
        return set.verdict(of: text, customType: nil) == .refused("r")
    }

    @Test(arguments: [
        ("b.d", "BAD", true), ("b.d", "bd", false), ("^bad$", "bad", true), ("^bad$", "a bad", false),
        ("(?m)^bad$", "a\nbad\nb", true), (#"\d{3}-\d{4}"#, "call 555-1234", true), (#"\d{3}-\d{4}"#, "55-1234", false),
        ("(?-i)[A-Z]{5}", "SHOUTING", true), ("(?-i)[A-Z]{5}", "shouting", false), ("bad|worse", "much WORSE", true),
        ("straße", "STRAßE", true), ("strasse", "straße", true), ("größe", "GRÖßE", true),
        ("élan", "e\u{301}lan", false),
        ("elan", "e\u{301}lan", true), ("bad", "b\u{200B}a\u{AD}d", true), ("bad", "ｂäd", true), ("bad", "𝐛𝐚𝐝", true),
        ("bad", "bаd", true), ("плохо", "ПЛОХО", true), ("плохо", "хорошо", false), ("сор", "cop", false),
        ("東京", "私は東京都に", true), ("🍆+", "no 🍆🍆", true), ("kill", "\u{212A}ill", true), ("miss", "mi\u{17F}s", true),
        ("a\\x{0}b", "a\u{0}b", false), (".", "\n", false), ("(?s).", "\n", true), ("bad", "", false),
        ("[^a]b", "éb", true), (#"\bbad\b"#, "a bad b", true), (#"\C\C"#, "é", true), ("[[:punct:]]{5}", "?!?!?", true),
    ])
    func `MO3: a pattern is compared with the text as it is seen and as it is folded`(
        pattern: String, text: String, isHit: Bool
    ) throws {
        #expect(try matches(pattern, text) == isHit)
    }

    @Test(arguments: [
        "(", "[a", "a**", #"\8"#, #"(a)\1"#, "(?=a)", "(?<!a)b", "a{1001}", "(?P<n", "[z-a]", #"\p{Nope}"#,
    ])
    func `MO3: what is not RE2 syntax is refused with the reason`(pattern: String) {
        let error = #expect(throws: TextRuleError.self) { try matches(pattern, "") }
        guard case .badPattern("r", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(arguments: [
        "a*", "", "a?", "(a|)", "^", "$", #"\b"#, #"\B"#, "(?m)^", "(?m)$", "()", "(?:)", "x{0}", "a*b*", #"\A"#,
        #"\z"#,
        #"\b\b"#, "^$", #"(?:^|\b)"#, ".*", "(?s).*",
    ])
    func `MO3: a pattern that matches the empty text is refused`(pattern: String) {
        let expected: TextRuleError = pattern.isEmpty ? .empty(id: "r") : .matchesEmptyText(id: "r")
        #expect(throws: expected) { try matches(pattern, "") }
    }

    @Test func `MO3: a pattern is bounded in bytes and in the size of its automaton`() throws {
        let longest = String(repeating: "x", count: TextRuleLimits.patternBytes)
        #expect(try matches(longest, longest))
        #expect(throws: TextRuleError.tooLarge(id: "r")) { try matches(longest + "x", "") }
        #expect(throws: TextRuleError.tooLarge(id: "r")) { try matches(#"[\pL\pN]{900}x"#, "") }
        #expect(throws: TextRuleError.self) { try matches("((a{100}){100}){100}", "") }
    }

    @Test func `MO3: letters of every alphabet match in either case`() throws {
        var letters: [(Unicode.Scalar, Unicode.Scalar)] = []
        for value in (0x80...0x1FFF as ClosedRange<UInt32>) {
            guard let lower = Unicode.Scalar(value), lower.properties.isLowercase else { continue }
            let upper = lower.properties.uppercaseMapping.unicodeScalars
            guard upper.count == 1, let upper = upper.first, upper != lower else { continue }
            // RE2 knows Unicode 14.
            guard let age = lower.properties.age, age.major <= 14, upper.properties.age?.major ?? 99 <= 14 else {
                continue
            }
            guard upper.properties.lowercaseMapping.unicodeScalars.elementsEqual([lower]) else { continue }
            letters.append((lower, upper))
        }
        #expect(letters.count > 600)
        for (lower, upper) in letters {
            let pattern = String(repeating: Character(lower), count: 3)
            #expect(try matches(pattern, String(repeating: Character(upper), count: 3)), "\(lower.value) \(lower)")
            #expect(try matches(String(repeating: Character(upper), count: 3), pattern), "\(upper.value)")
        }
    }

    /// Patterns with which engines that backtrack take time exponential or quadratic in the length of the attack.
    @Test(arguments: [
        ("^(a+)+$", "a", "!", false), ("^([a-zA-Z]+)*[0-9]$", "a", "!", false), ("^(a|aa)+$", "a", "!", false),
        ("^(a|a?)+b$", "a", "!", false), ("(.*a){12}x", "a", "!", false), ("(x+x+)+y", "x", "z", false),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", "!", false), (#"^(\w+\s?)*;$"#, "aaa ", "!", false),
        (#"(?:\s+)*z$"#, " ", "!", false), (#"^\s+|\s+$x"#, " ", "x", true), (#"(\d+)*\.(\d+)*;"#, "1", "!", false),
        ("^(?:.*?,){11}P", "1,", "!", false), (#"<(?:\s*\w+)*>"#, " a", "!", false), ("(a*)*[^a]", "a", "", false),
        ("^([01]+)+[2]$", "01", "3", false), (#"\*{2}(?:[^*]|\*[^*])+\*{2}"#, "**", "*!", false),
        (#"^([\w.]+)+@([\w.]+)+\.com$"#, "a.", "!", false), (#"(?:"(?:[^"\\]|\\.)*"\s*)+;"#, #"""#, "!", false),
        ("(?:a|b|ab)*c", "ab", "d", false), ("((a+)b*)*c", "aab", "d", false),
        ("(?:[a-z]{1,500}){1,2}9", "a", "!", false),
        (#"(?:https?://)?(?:[\w-]+\.)+[a-z]{40}"#, "a.", "!", false), ("x*x*x*x*x*y", "x", "z", false),
    ])
    func `MO3: patterns that need exponential time in backtracking engines are matched`(
        pattern: String, pump: String, end: String, isHit: Bool
    ) throws {
        for count in [1, 30, 1_000, 16_000 / pump.utf8.count] {
            let text = String(repeating: pump, count: count) + end
            #expect(try matches(pattern, text) == isHit, "\(count)")
        }
    }
}
