/// What the rules of a set say about a text.
///
/// A rule that refuses wins over all others. Otherwise, the text passes with the matches of all masking rules masked; rules that report
/// do so in either case. Ids are in the order of the rules.
package enum TextVerdict: Hashable, Sendable {
    case allowed
    /// The text passes unchanged.
    case reported([String])
    /// The masked text passes. `reports` may be empty.
    case masked(String, rules: [String], reports: [String])
    /// The first refusing rule that matches.
    case refused(String)
    /// The text could not be compared with every rule. It must not pass.
    case outOfMemory
}

/// A rule that matches a text, as a dry run shows it.
package struct TextRuleFinding: Hashable, Sendable {
    package let rule: String
    package let action: TextRule.Action
    /// The first places in the text, in UTF-16 units; ascending. At most `TextRuleLimits.rangesPerFinding`.
    package let ranges: [Range<Int>]
}
