/// The rules of an app, compiled. Immutable, and safe to use from several threads.
///
/// Texts are compared in a form without invisible characters (zero-width spaces and joiners, soft hyphens, variation selectors, direction
/// marks, tags), case and accents, in which full-width, mathematical, circled and small-capital letters are ordinary ones. Patterns are
/// compared with that form and with the visible text as it was written; a match in either counts. Words are also found
///
/// - with a letter repeated three times or more (`baaad`),
/// - letter by letter with the same characters between all letters (`b a d`, `b.a.d`), from three letters on,
/// - with Greek or Cyrillic letters that look like the Latin ones, or the other way round, if the word mixes alphabets.
///
/// Not found are: digits and signs for letters (`b4d`, `b@d`, `|3ad`), misspellings, two letters for one (`baad`), a word that is cut in
/// two (`ba d`, `ba-d`), letters with different characters between them (`b. a-d`) or with a single letter before them (`a b a d`), words
/// written backwards or from other signs (flags, Morse, emoji), words entirely in another alphabet's letters (сор for cop), lookalikes
/// outside Greek and Cyrillic, and text in images. Links are not found in shortened form, behind a redirect, as `example dot com` or
/// with spaces, as a number instead of a name, or without a scheme in a domain that `TopLevelDomains` lacks.
package final class TextRuleSet: Sendable {
    let rules: [TextRule]
    let scopes: [Set<String>?]
    let words: WordRules?
    let patterns: PatternRules?
    let domains: DomainRules?

    /// Compiles rules.
    ///
    /// - Parameter memory: The bytes of all automata, including those that RE2 builds while it searches.
    package init(_ rules: [TextRule], memory: Int = TextRuleLimits.memory) throws(TextRuleError) {
        try Self.check(rules)
        self.rules = rules
        scopes = rules.map { $0.customTypes.map(Set.init) }
        // RE2 gets five eighths; the literals of patterns and the words get the rest.
        let ownMemory = memory * 3 / 16
        domains = try DomainRules(rules)
        words = try WordRules(rules, memory: ownMemory)
        patterns = try PatternRules(rules, memory: memory - 2 * ownMemory, automatonMemory: ownMemory)
    }

    /// Decides about a text.
    ///
    /// - Parameter customType: That of the channel. Without one, only the rules of the whole app apply.
    package func verdict(of text: String, customType: String?) -> TextVerdict {
        guard !rules.isEmpty else { return .allowed }
        var forms = TextForms(text)
        guard let matched = matchedRules(of: &forms, customType: customType) else { return .outOfMemory }
        guard !matched.isEmpty else { return .allowed }
        if let refusing = refusing(matched) { return .refused(rules[refusing].id) }
        let sorted = matched.sorted()
        let reports = sorted.filter { rules[$0].action == .report }.map { rules[$0].id }
        guard sorted.contains(where: { rules[$0].action == .mask }) else { return .reported(reports) }
        switch mask(text, forms, matched, customType: customType) {
        case .masked(let masked, let masking):
            return .masked(masked, rules: masking.sorted().map { rules[$0].id }, reports: reports)
        case .refused(let rule): return .refused(rules[rule].id)
        case .outOfMemory: return .outOfMemory
        }
    }

    /// Returns the first of some rules that refuses.
    func refusing(_ matched: Set<Int>) -> Int? { matched.filter { rules[$0].action == .refuse }.min() }

    /// Lists every rule that matches a text, in the order of the rules, without doing anything about it.
    ///
    /// - Returns: nil if RE2 ran out of memory.
    package func findings(in text: String, customType: String?) -> [TextRuleFinding]? {
        guard !rules.isEmpty else { return [] }
        var forms = TextForms(text)
        guard let matched = matchedRules(of: &forms, customType: customType) else { return nil }
        guard !matched.isEmpty else { return [] }
        var places: [Int: [Range<Int>]] = [:]
        let isComplete = forEachPlace(in: &forms, of: matched) { rule, place in
            if !places[rule, default: []].contains(place) { places[rule, default: []].append(place) }
            return places[rule, default: []].count < TextRuleLimits.rangesPerFinding ? .next : .nextRule
        }
        guard isComplete else { return nil }
        let units = UTF16Places(text)
        return matched.sorted().map { rule in
            let ranges = (places[rule] ?? []).map { units.range($0) }
                .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
            return TextRuleFinding(rule: rules[rule].id, action: rules[rule].action, ranges: ranges)
        }
    }
}
