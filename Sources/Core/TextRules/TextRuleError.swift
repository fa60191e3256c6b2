/// Why a set of rules is refused. Nothing of a refused set takes effect.
package enum TextRuleError: Error, Hashable, Sendable {
    case tooManyRules(count: Int)
    /// All words, patterns and domains together.
    case tooManyBytes(count: Int)
    case badID(String)
    case duplicateID(String)
    /// A rule, word, pattern or domain without content, or a list of custom types without entries.
    case empty(id: String)
    /// More words, domains or custom types than `TextRuleLimits` allows, or a longer one.
    case tooLarge(id: String)
    /// The word has an asterisk inside, no letter, digit or symbol, or punctuation at an end. Only a pattern can look for punctuation.
    case badWord(id: String, word: String)
    /// Not RE2 syntax; `reason` is RE2's explanation in English.
    case badPattern(id: String, reason: String)
    /// The pattern matches an empty text or an empty place in a text, and so every text.
    case matchesEmptyText(id: String)
    /// The patterns without a literal of three letters are too large together. They are compared with every text, all at once.
    case tooBroad
    case badDomain(id: String, domain: String)
    /// The set does not fit in the memory. The id is that of the rule that was too much, or nil if it is the set as a whole.
    case outOfMemory(id: String?)
}
