import TestSupport
import Testing
import TextRules

/// Compares sets with slower ways to the same result.
@Suite struct ReferenceTests {
    /// A word without three letters of a kind in a row, which has at least two letters.
    private static func word(_ letters: [Character], upTo limit: Int, _ random: inout SeededGenerator) -> String {
        var word = ""
        for _ in 0..<Int.random(in: 2...limit, using: &random) {
            let letter = random.pick(letters)
            if !word.hasSuffix(String(repeating: letter, count: 2)) { word.append(letter) }
        }
        return word.count < 2 ? "ab" : word
    }

    private static func naive(_ rule: String, in words: [Substring]) -> Bool {
        let word = rule.filter { $0 != "*" }
        return words.contains { candidate in
            switch (rule.hasPrefix("*"), rule.hasSuffix("*")) {
            case (true, true): candidate.contains(word)
            case (true, false): candidate.hasSuffix(word)
            case (false, true): candidate.hasPrefix(word)
            case (false, false): candidate == word
            }
        }
    }

    @Test(arguments: [(3, 4, 40), (3, 7, 300), (26, 9, 5_000)] as [(Int, Int, Int)], 1...5 as ClosedRange<UInt64>)
    func `MO3: words are found as by comparing every word with every rule`(
        size: (letters: Int, length: Int, count: Int), seed: UInt64
    )
        throws
    {
        var random = SeededGenerator(seed: seed)
        let letters = Array("abcdefghijklmnopqrstuvwxyz".prefix(size.letters))
        let words = (0..<size.count).map { _ in
            (random.chance(4) ? "*" : "") + Self.word(letters, upTo: size.length, &random)
                + (random.chance(4) ? "*" : "")
        }
        let set = try TextRuleSet(words.enumerated().map { TextRule(id: "\($0)", .words([$1]), .report) })
        for _ in 0..<20 {
            let text = (0..<8).map { _ in
                random.chance(3)
                    ? random.pick(words).filter { $0 != "*" } : Self.word(letters, upTo: size.length + 2, &random)
            }.joined(separator: random.pick([" ", ", ", "-"]))
            let parts = text.split { !$0.isLetter }
            let expected = words.indices.filter { Self.naive(words[$0], in: parts) }.map { "\($0)" }
            let verdict = set.verdict(of: text, customType: nil)
            #expect(verdict == (expected.isEmpty ? .allowed : .reported(expected)), "seed \(seed): \(text)")
            // With one letter beyond ASCII the text is compared in another way.
            let other = set.verdict(of: text + " é", customType: nil)
            #expect(other == verdict, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MO3: a set gives the same findings as its rules one by one`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "bad", "ugly", "ab", "É", "[a-c]", #"\d"#, ".", "(?:bad|good)", "x+", "(?-i:Bad)", "д", #"\b"#, "(?i)ST",
            "ß",
        ]
        var rules: [TextRule] = []
        while rules.count < 60 {
            let pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.pick(parts) }.joined()
            let rule = TextRule(id: "\(rules.count)", .pattern(pattern), .report)
            if (try? TextRuleSet([rule])) != nil { rules.append(rule) }
        }
        let set = try TextRuleSet(rules)
        let single = try rules.map { try TextRuleSet([$0]) }
        let pieces = [
            "bad", "BAD", "ugly", "good", "ab", "c", "1", "é", "É", "д", "Д", " ", "xx", "st", "ß", "\u{200B}", "ｂad",
        ]
        for _ in 0..<20 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in random.pick(pieces) }.joined()
            let expected = single.flatMap { $0.findings(in: text, customType: nil) ?? [] }
            #expect(set.findings(in: text, customType: nil) == expected, "seed \(seed): \(text)")
        }
    }

    @Test func `MO3: several threads use a set at once`() async throws {
        let set = try TextRuleSet([
            TextRule(id: "w", .words(["bad"]), .mask), TextRule(id: "p", .pattern(#"[0-9]{3}-?[0-9]"#), .mask),
            TextRule(id: "l", .pattern("call[a-z]*"), .mask),
        ])
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { index in
                        let text = "bad \(task)\(1_000 + index) calling é"
                        let digits = String(repeating: "*", count: 4)
                        return set.verdict(of: text, customType: nil)
                            == .masked("*** \(digits)\(index % 10) ******* é", rules: ["w", "p", "l"], reports: [])
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
