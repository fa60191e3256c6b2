/// The words of a text that are written letter by letter, such as `b a d` and `b.a.d`.
///
/// A chain of single letters is one word if the same separators are between all of them. No letter of a chain is left out, because the
/// letters of p a s s do not contain another word. Letters without white space between them belong together: in `a b.a.d x y`, the chains
/// are `bad` and `xy`.
struct SpacedWords {
    /// The number of letters from which on a chain is compared with words.
    static let shortest = 3

    private let letters: [FoldedText.Letter]
    private var symbols = WordSymbols()
    /// Indices of `letters`.
    private var chain: [Int] = []
    /// What is between the letters of the chain; empty before the second one.
    private var gap: Range<Int> = 0..<0

    /// - Returns: nil if there are none.
    static func symbols(of text: FoldedText) -> WordSymbols? {
        var words = SpacedWords(letters: text.letters)
        for index in text.letters.indices where text.letters[index].kind != .separator { words.append(index) }
        words.endChain()
        return words.symbols.words.isEmpty ? nil : words.symbols
    }

    private init(letters: [FoldedText.Letter]) { self.letters = letters }

    private mutating func append(_ index: Int) {
        guard isAlone(index) else { return endChain() }
        guard let last = chain.last else {
            chain = [index]
            return
        }
        let next = last + 1..<index
        if chain.count > 1, !isEqual(gap, next) {
            let isTighter = isLoose(gap) && !isLoose(next)
            if isTighter || chain.count == 2, !(isLoose(next) && !isLoose(gap)) {
                // The last letter belongs to the letters after it.
                chain.removeLast()
                endChain()
                chain = [last]
            } else {
                endChain()
            }
        }
        gap = next
        chain.append(index)
    }

    private mutating func endChain() {
        defer { chain.removeAll(keepingCapacity: true) }
        guard chain.count >= Self.shortest else { return }
        let alphabets = chain.reduce(into: Alphabets()) { $0.formUnion(Alphabets(of: letters[$1].scalar)) }
        for index in chain {
            var letter = letters[index]
            if alphabets.areMixed {
                letter.scalar = Lookalikes.latin(of: letter.scalar)
                letter.isMixed = true
            }
            symbols.append(letter)
        }
        symbols.separate(at: letters[chain[chain.count - 1]].end)
        symbols.appendBarrier()
    }

    /// Whether a letter has separators on both sides.
    private func isAlone(_ index: Int) -> Bool {
        guard letters[index].kind == .word, !(0x30...0x39).contains(letters[index].scalar) else { return false }
        let before = index == 0 || letters[index - 1].kind == .separator
        let after = index == letters.count - 1 || letters[index + 1].kind == .separator
        return before && after
    }

    private func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        letters[a].elementsEqual(letters[b]) { $0.scalar == $1.scalar }
    }

    private func isLoose(_ gap: Range<Int>) -> Bool {
        letters[gap].contains { Unicode.Scalar($0.scalar)?.properties.isWhitespace ?? false }
    }
}
