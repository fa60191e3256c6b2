import Testing
import TextRules

@Suite struct WordRuleTests {
    private func matches(_ words: [String], _ text: String) throws -> Bool {
        let set = try TextRuleSet([TextRule(id: "r", .words(words), .refuse)])
        return set.verdict(of: text, customType: nil) == .refused("r")
    }

    @Test(arguments: [
        ("bad", "bad", true), ("bad", "So BAD!", true), ("bad", "(bad)", true), ("bad", "bad-tempered", true),
        ("bad", "badly", false), ("bad", "abad", false), ("bad", "ba", false), ("bad", "", false),
        ("cunt", "Scunthorpe", false), ("ass", "classic assassin", false), ("tit", "title", false),
        ("bad*", "badly", true), ("bad*", "bad", true), ("bad*", "baddest", true), ("*bad", "bbad", true),
        ("bad", "badd", false), ("bad*", "abad", false), ("bad*", "a bad", true),
        ("*bad", "abad", true), ("*bad", "badly", false), ("*bad*", "sinbadly", true), ("*bad*", "sinbd", false),
        ("very bad", "very bad", true), ("very bad", "Very,\n  BAD.", true), ("very bad", "very much bad", false),
        ("very bad*", "very badly", true), ("don't", "I don’t", true), ("don't", "dont", false),
        ("e-mail", "E mail", true), ("straße", "STRASSE", true), ("strasse", "straße", true),
        ("élan", "elan", true), ("elan", "e\u{301}lan", true), ("ёлка", "ЕЛКА", true), ("42", "is 42.", true),
        ("42", "420", false), ("東京", "私は東京都に", true), ("東京", "京東", false), ("iPhone用", "iphone用ケース", true),
        ("iphone", "iPhone用ケース", true), ("🍆", "no🍆🍆!", true), ("🍆", "🍅", false), ("🍆🍑", "🍆 🍑", true),
        ("सेक्स", "यह सेक्स है", true), ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", true),
    ])
    func `MO3: a word matches as a whole, without regard to case and accents`(word: String, text: String, isHit: Bool)
        throws
    {
        #expect(try matches([word], text) == isHit)
    }

    @Test(arguments: [
        // Invisible characters.
        "b\u{200B}a\u{200B}d", "b\u{200D}ad", "ba\u{200C}d", "b\u{AD}ad", "b\u{2060}ad", "b\u{FEFF}ad", "ba\u{FE0F}d",
        "b\u{202E}ad\u{202C}", "b\u{E0061}ad", "b\u{E0100}ad", "b\u{3164}ad", "b\u{115F}ad", "b\u{180E}ad",
        "b\u{34F}ad",
        "b\u{0}ad", "b\u{7}ad", "b\u{20DD}ad", "b\u{61C}ad",
        // Accents, also many.
        "bäd", "b̶a̶d̶", "b\u{301}\u{302}\u{303}ad", "ḃȧḋ", "bád", "ƀad".replacing("ƀ", with: "ḃ"),
        // Styles.
        "ｂａｄ", "ＢＡＤ", "𝐛𝐚𝐝", "𝓫𝓪𝓭", "𝕓𝕒𝕕", "𝙱𝙰𝙳", "ⓑⓐⓓ", "⒝⒜⒟", "🅑🅐🅓", "🅱🅰🅳", "🄱🄰🄳", "ʙᴀᴅ", "bɑd", "𝖇𝖆𝖉",
        // Another alphabet's letters.
        "bаd", "ba\u{501}", "bαd", "βad", "BАD", "вad",
        // Repeated letters.
        "baaad", "BBBBADDD", "baaaaaaaaaaaaaaaaaaaad",
        // One by one.
        "b a d", "b.a.d", "B-A-D", "b_a_d", "b  a  d", "b*a*d", "so b a d!", "b\na\nd", "b・a・d",
        "b \u{200B}a \u{200B}d",
        "b.a.d a b c", "ｂ ａ ｄ", "b/a/d", "b а d",
    ])
    func `MO3: a word is found in disguise`(text: String) throws {
        #expect(try matches(["bad"], text))
    }

    @Test(arguments: [
        // Digits and signs.
        "b4d", "b@d", "|3ad", "8ad",
        // Spelling.
        "baad", "bbad", "bd", "dab", "ba",
        // Cut in two, or with different characters.
        "ba d", "b ad", "ba-d", "b. a d",
        // A single letter next to it, as p a s s has one.
        "a b a d", "b a d e",
        // Signs.
        "🇧🇦🇩", "-... .- -..", "ᵇᵃᵈ".replacing("ᵇ", with: "6"), "bⲁd",
    ])
    func `MO3: words miss the documented disguises`(text: String) throws {
        #expect(try !matches(["bad"], text))
    }

    @Test(arguments: [
        ("god", "good", false), ("good", "god", false), ("good", "good", true), ("good", "goood", true),
        ("ass", "as", false), ("ass", "aaassss", true), ("as", "ass", false), ("asshole", "aasshole", false),
        ("asshole", "aaasssshooole", true), ("100", "1000", false), ("100", "10000", false), ("xxx", "xx", false),
        ("xxx", "xxxxx", true), ("hello", "helo", false),
    ])
    func `MO3: three of a letter stand for any number, two are spelling`(word: String, text: String, isHit: Bool) throws
    {
        #expect(try matches([word], text) == isHit)
    }

    @Test(arguments: [
        // Russian and Greek words that look like Latin ones are words of their own.
        ("cop", "сор", false), ("cop", "вынеси сор", false), ("cop", "сop", true), ("pop", "рор", false),
        ("ton", "τον", false), ("сор", "cop", false), ("сор", "сор", true), ("сор", "СОР", true),
        // A Russian word written with a Latin letter.
        ("хуй", "xуй", true), ("хуй", "хуй", true), ("хуй", "xyй", true), ("сор", "cор", true),
        // A rule that was pasted with such a letter.
        ("bаd", "bad", true), ("bаd", "bаd", true), ("bаd", "вад", false),
    ])
    func `MO3: lookalikes count only in words that mix alphabets`(word: String, text: String, isHit: Bool) throws {
        #expect(try matches([word], text) == isHit)
    }

    @Test(arguments: [
        ("ass", "p a s s", false), ("ass", "P-A-S-S w", false), ("ass", "a s s", true), ("ass*", "a s s e s", true),
        ("bad guy", "b a d", false), ("it", "i t", false), ("i", "i t", true), ("boo", "b o o", true),
        ("boo", "b o o o", true), ("bo", "b o o", false), ("abc", "a 1 b 1 c", false), ("bad", "b a d - x y z", true),
        ("xyz", "b.a.d x y z", true), ("dxy", "b a d-x-y", true),
        ("bad", "a b.a.d", true), ("bad", "u r a b.a.d x y", true), ("ura", "u r a b.a.d", true),
    ])
    func `MO3: letters with the same between them are one word`(word: String, text: String, isHit: Bool) throws {
        #expect(try matches([word], text) == isHit)
    }

    @Test(arguments: ["a$$", "$bad", "bad!", "f*ck", "***", "* ", "...", "\u{301}", "\u{200B}", " bad"])
    func `MO3: a word with punctuation at an end, an inner asterisk or no letter is refused`(word: String) {
        #expect(throws: TextRuleError.badWord(id: "r", word: word)) { try matches([word], "") }
    }

    @Test func `MO3: a word longer than the bound is refused`() throws {
        #expect(try !matches([String(repeating: "x", count: TextRuleLimits.wordBytes)], "x"))
        #expect(throws: TextRuleError.tooLarge(id: "r")) {
            try matches([String(repeating: "x", count: TextRuleLimits.wordBytes + 1)], "")
        }
        #expect(throws: TextRuleError.empty(id: "r")) { try matches(["*"], "") }
        #expect(throws: TextRuleError.empty(id: "r")) { try matches(["**"], "") }
        #expect(throws: TextRuleError.empty(id: "r")) { try matches([""], "") }
    }
}
