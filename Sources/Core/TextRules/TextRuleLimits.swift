/// The bounds of a set of rules.
package enum TextRuleLimits {
    /// The number of rules in a set.
    package static let rules = 10_000
    /// The number of words, or of domains, in a rule: no list of a command is longer.
    package static let entriesPerRule = 250
    /// The bytes of a word or phrase, in UTF-8.
    package static let wordBytes = 256
    /// The bytes of a pattern, in UTF-8.
    package static let patternBytes = 1_024
    /// The bytes of a domain. RFC 1035 §2.3.4 allows 255 on the wire; the form with dots is shorter.
    package static let domainBytes = 253
    /// The bytes of a rule's id, and of a custom type.
    package static let nameBytes = 128
    /// The number of custom types in a rule.
    package static let customTypesPerRule = 100
    /// The bytes of all words, patterns and domains: 10,000 rules with 100 bytes each. The automaton takes up to 17 bytes
    /// for a byte of the words, so a set of this size is refused if its words have few beginnings in common.
    package static let totalBytes = 1 << 20
    /// The default for the bytes of all automata, including those that RE2 builds while it searches.
    package static let memory = 64 << 20
    /// The bytes that one pattern may take.
    package static let patternMemory = 1 << 20
    /// The instructions of RE2 for all patterns without a literal of three letters: hundreds of patterns. In the worst case, a byte of a
    /// text takes a nanosecond or two for each.
    package static let broadInstructions = 10_000
    /// The number of matches in a text after which the whole text is masked. Thousands of rules that match every character would
    /// otherwise keep the chat busy for seconds.
    package static let matchesPerText = 1 << 16
    /// The number of places that a dry run lists for a rule.
    package static let rangesPerFinding = 32
}
