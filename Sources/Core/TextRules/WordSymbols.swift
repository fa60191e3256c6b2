/// A text as words are compared: each run of a letter is one symbol, and whatever separates words is one separator.
///
/// A separator begins and ends the symbols.
struct WordSymbols {
    struct Symbol {
        /// What the automaton sees: the letter, or the Latin one that it looks like.
        let shape: UInt32
        let letter: UInt32
        /// How often the letter is repeated; always 1 for digits and scripts without spaces.
        var run: Int32
        let kind: FoldedText.Kind
        let isMixed: Bool
        /// The place in the original text, in bytes of UTF-8.
        var range: Range<Int32>
        /// The number of the word, as an index of `words`; -1 for a separator.
        let word: Int32
    }

    static let separator: UInt32 = 0x20

    private(set) var symbols: [Symbol] = []
    /// The symbols of each word. An emoji is a word, and so is a run of letters of a script without spaces.
    private(set) var words: [Range<Int>] = []

    init(_ text: FoldedText) {
        symbols.reserveCapacity(text.letters.count + 2)
        separate(at: 0)
        for letter in text.letters { append(letter) }
        separate(at: text.letters.last?.end ?? 0)
    }

    mutating func append(_ letter: FoldedText.Letter) {
        let last = symbols[symbols.count - 1]
        switch letter.kind {
        case .separator:
            return separate(at: letter.start)
        case .symbol:
            separate(at: letter.start)
            appendSymbol(letter)
        case .word, .spaceless:
            let isDigit = (0x30...0x39).contains(letter.scalar)
            if last.kind == letter.kind, last.letter == letter.scalar, letter.kind == .word, !isDigit {
                symbols[symbols.count - 1].run += 1
                symbols[symbols.count - 1].range = last.range.lowerBound..<letter.end
                return
            }
            if last.kind != letter.kind { separate(at: letter.start) }
            appendSymbol(letter)
        }
    }

    /// Starts without words.
    init() { separate(at: 0) }

    /// Ends a phrase.
    mutating func appendBarrier() {
        symbols.append(
            Symbol(shape: 0, letter: 0, run: 1, kind: .symbol, isMixed: false, range: 0..<0, word: -1))
        separate(at: 0)
    }

    private mutating func appendSymbol(_ letter: FoldedText.Letter) {
        if symbols[symbols.count - 1].kind == .separator { words.append(symbols.count..<symbols.count) }
        words[words.count - 1] = words[words.count - 1].lowerBound..<symbols.count + 1
        symbols.append(
            Symbol(
                shape: Lookalikes.latin(of: letter.scalar), letter: letter.scalar, run: 1, kind: letter.kind,
                isMixed: letter.isMixed, range: letter.start..<letter.end, word: Int32(words.count - 1)))
    }

    mutating func separate(at place: Int32) {
        guard symbols.last?.kind != .separator else { return }
        symbols.append(
            Symbol(
                shape: Self.separator, letter: Self.separator, run: 1, kind: .separator, isMixed: false,
                range: place..<place, word: -1))
    }
}
