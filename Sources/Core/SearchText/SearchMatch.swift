/// Where a pattern occurs in a text.
package struct SearchMatch: Hashable, Sendable {
    /// The largest number of places that are returned for a text.
    package static let markLimit = 32

    /// The first places in the text, in UTF-16 units; ascending and disjoint.
    package let marks: [Range<Int>]
    /// How well the text matches, compared with other texts for the same pattern. Depends on this text only.
    package let score: Int
}

/// Compares texts with a pattern.
package struct SearchMatcher: Sendable {
    private struct Term {
        let tokens: [[UInt8]]
        let isOpen: Bool
        let endsInLetter: Bool
    }

    private let terms: [Term]
    /// The terms whose first token begins with a byte, by that byte.
    private let byFirstByte: [[Int]]

    package init(_ pattern: SearchPattern) {
        terms = pattern.terms.map { term in
            Term(tokens: term.tokens.map { Array($0.utf8) }, isOpen: term.isOpen, endsInLetter: term.endsInLetter)
        }
        var byFirstByte = [[Int]](repeating: [], count: 256)
        for (index, term) in terms.enumerated() {
            if let first = term.tokens.first?.first { byFirstByte[Int(first)].append(index) }
        }
        self.byFirstByte = byFirstByte
    }

    /// - Returns: nil if some term does not occur.
    package func match(in text: String) -> SearchMatch? {
        guard !terms.isEmpty else { return nil }
        let words = SearchWords(text)
        var counts = [Int](repeating: 0, count: terms.count)
        var marks: [Range<Int>] = []
        for index in words.tokens.indices {
            for term in byFirstByte[Int(words.bytes[words.tokens[index].bytes.lowerBound])] {
                guard let range = range(of: terms[term], at: index, in: words) else { continue }
                counts[term] += 1
                if marks.count < SearchMatch.markLimit * 2 { marks.append(range) }
            }
        }
        guard counts.allSatisfy({ $0 > 0 }) else { return nil }
        return SearchMatch(marks: Self.merged(marks), score: Self.score(counts, ofTokens: words.tokens.count))
    }

    private func range(of term: Term, at index: Int, in words: SearchWords) -> Range<Int>? {
        let last = term.tokens.count - 1
        guard index + last < words.tokens.count else { return nil }
        for place in 0..<last where !words.bytes[words.tokens[index + place].bytes].elementsEqual(term.tokens[place]) {
            return nil
        }
        let token = words.tokens[index + last]
        let bytes = words.bytes[token.bytes]
        let isMatch = term.isOpen ? bytes.starts(with: term.tokens[last]) : bytes.elementsEqual(term.tokens[last])
        guard isMatch else { return nil }
        let end = term.endsInLetter ? token.firstEnd : token.range.upperBound
        return words.tokens[index].range.lowerBound..<end
    }

    /// Repeated words count up to four times; the same number of words counts more in a shorter text.
    private static func score(_ counts: [Int], ofTokens total: Int) -> Int {
        let occurrences = counts.reduce(0) { $0 + min($1, 4) }
        return occurrences * 10_000 / (16 + min(total, 2_000))
    }

    /// Unites marks that overlap, as those of pairs do.
    private static func merged(_ marks: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for mark in marks.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = merged.last, mark.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, mark.upperBound)
            } else {
                merged.append(mark)
            }
        }
        return Array(merged.prefix(SearchMatch.markLimit))
    }
}
