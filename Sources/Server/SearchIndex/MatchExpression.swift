import ChatDomain
import SearchText

/// A search in the query language of FTS5.
///
///     words : ("strasse" AND "town hall" AND "rin" *) AND facts : ("ktext" OR "kfile") AND facts : ("f")
///
/// Users never write in this language: only tokens get into it, in quotes. Tokens contain no ASCII characters besides
/// letters and digits, and in quotes, only a quote has a meaning.
enum MatchExpression {
    /// The lengths of word beginnings that have an index of their own, in characters. Without it, SQLite would collect
    /// every message that has a word with that beginning, in all channels, before it returned the first.
    static let prefixes = [1, 3]

    static func text(_ pattern: SearchPattern, facts: [[String]]) -> String {
        let words = "words : (\(pattern.terms.map(phrase).joined(separator: " AND ")))"
        let others = facts.map { list in "facts : (\(list.map(quoted).joined(separator: " OR ")))" }
        return ([words] + others).joined(separator: " AND ")
    }

    private static func phrase(_ term: SearchPattern.Term) -> String {
        guard term.isOpen, let last = term.tokens.last else { return quoted(term.tokens.joined(separator: " ")) }
        return quoted((term.tokens.dropLast() + [prefix(of: last)]).joined(separator: " ")) + " *"
    }

    /// The longest indexed beginning. The chat compares the rest.
    private static func prefix(of token: String) -> String {
        let scalars = token.unicodeScalars
        let length = prefixes.last { $0 <= scalars.count } ?? 1
        return String(String.UnicodeScalarView(scalars.prefix(length)))
    }

    private static func quoted(_ tokens: String) -> String { "\"" + tokens.filter { $0 != "\"" } + "\"" }
}
