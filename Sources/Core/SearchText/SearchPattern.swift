/// What a search looks for: a text matches if it contains every term.
///
///     bells "town hall" ring*     a word, a phrase, and any word that begins with ring
///
/// A piece of a query that consists of several tokens, such as `e-mail` or 東京都, is a phrase of these. There is no other
/// syntax: every other character separates words.
package struct SearchPattern: Hashable, Sendable {
    /// One or more tokens that follow each other.
    package struct Term: Hashable, Sendable {
        package let tokens: [String]
        /// Whether the last token is the beginning of a word.
        package let isOpen: Bool
        /// Whether the last token is the first letter of a pair.
        let endsInLetter: Bool
    }

    /// Each once, in the order of the query; may be empty.
    package let terms: [Term]

    package init(_ query: String) {
        var seen: Set<Term> = []
        terms = Self.pieces(of: query).compactMap { Self.term($0.text, isOpen: $0.isOpen) }
            .filter { seen.insert($0).inserted }
    }

    /// Divides a query at white space and quotes. A quote that is never closed ends with the query.
    private static func pieces(of query: String) -> [(text: String, isOpen: Bool)] {
        var pieces: [(text: String, isOpen: Bool)] = []
        var piece = String.UnicodeScalarView()
        var isQuoted = false
        func end() {
            guard !piece.isEmpty else { return }
            pieces.append((String(piece), !isQuoted && piece.last == "*"))
            piece.removeAll(keepingCapacity: true)
        }
        for scalar in query.unicodeScalars {
            switch scalar {
            case "\"", "“", "”", "„":
                end()
                isQuoted.toggle()
            case _ where !isQuoted && scalar.properties.isWhitespace: end()
            default: piece.append(scalar)
            }
        }
        end()
        return pieces
    }

    /// - Returns: nil for a piece without words.
    private static func term(_ piece: String, isOpen: Bool) -> Term? {
        let words = SearchWords(piece)
        guard let last = words.tokens.last else { return nil }
        let tokens = words.tokens.map { words.text(of: $0) }
        guard last.kind == .last else {
            return Term(tokens: tokens, isOpen: isOpen && last.kind == .word, endsInLetter: false)
        }
        // In a text, the run may go on: the letter that ends the query's is then not its last.
        if words.tokens.dropLast().last?.kind == .pair {
            return Term(tokens: tokens.dropLast(), isOpen: false, endsInLetter: false)
        }
        return Term(tokens: tokens, isOpen: true, endsInLetter: true)
    }
}
