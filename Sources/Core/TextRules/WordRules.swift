/// The words of a set's rules, all of which are looked for in one pass.
final class WordRules: Sendable {
    /// One word or phrase of a rule.
    private struct Entry: Sendable {
        let rule: Int
        /// The symbols without the separators at the ends.
        let letters: [UInt32]
        let runs: [Int32]
        let opensWord: Bool
        let closesWord: Bool
    }

    private let automaton: ByteAutomaton
    /// The entries of each string of the automaton, in the order of the rules.
    private let entries: [[Entry]]
    private let scan: WordScan

    /// - Throws: `badWord`, `empty` and `tooLarge`; `outOfMemory` if the automaton does not fit in `memory` bytes.
    init?(_ rules: [TextRule], memory: Int) throws(TextRuleError) {
        var byShape: [[UInt8]: [Entry]] = [:]
        for (index, rule) in rules.enumerated() {
            guard case .words(let words) = rule.content else { continue }
            for word in words {
                let (shape, entry) = try Self.parse(word, of: index, id: rule.id)
                byShape[shape, default: []].append(entry)
            }
        }
        guard !byShape.isEmpty else { return nil }
        let sorted = byShape.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        guard let automaton = ByteAutomaton(sorted.map(\.key), memory: memory) else {
            throw TextRuleError.outOfMemory(id: nil)
        }
        self.automaton = automaton
        entries = sorted.map(\.value)
        scan = WordScan()
    }

    /// Returns whether a plain ASCII text may contain a word. Only a few texts without one get true.
    func mayMatch(plain bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        automaton.withCursor { scan.finds(in: bytes, with: $0) }
    }

    /// Returns the same for any text.
    func mayMatch(_ text: FoldedText) -> Bool { automaton.withCursor { scan.finds(in: text, with: $0) } }

    /// Calls `body` for each place of each word in a text and in its words that are written letter by letter.
    ///
    /// - Parameters:
    ///   - isWanted: Whether a rule still matters; asked before a place is compared letter by letter.
    ///   - body: Receives the rule and the place in bytes of UTF-8. Returns false if other rules with the same word do not matter at this
    ///     place.
    func forEachMatch(
        in text: FoldedText, where isWanted: (Int) -> Bool, _ body: (_ rule: Int, _ place: Range<Int>) -> Bool
    ) {
        forEachMatch(in: WordSymbols(text), where: isWanted, body)
        if let spaced = SpacedWords.symbols(of: text) { forEachMatch(in: spaced, where: isWanted, body) }
    }

    private func forEachMatch(
        in text: WordSymbols, where isWanted: (Int) -> Bool, _ body: (Int, Range<Int>) -> Bool
    ) {
        automaton.withCursor { cursor in
            var node = ByteAutomaton.root
            for (index, symbol) in text.symbols.enumerated() {
                if symbol.shape < 0x80 {
                    node = cursor.next(node, UInt8(truncatingIfNeeded: symbol.shape))
                } else {
                    for byte in FoldedText.utf8(symbol.shape) { node = cursor.next(node, byte) }
                }
                guard node & ByteAutomaton.outputFlag != 0 else { continue }
                automaton.forEachString(at: node) { string in
                    for entry in entries[string] where isWanted(entry.rule) {
                        guard let place = place(of: entry, endingAt: index, in: text) else { continue }
                        if !body(entry.rule, place) { break }
                    }
                }
            }
        }
    }

    /// - Parameter end: The last symbol of the string, which is the separator after the word if the entry closes it.
    private func place(of entry: Entry, endingAt end: Int, in text: WordSymbols) -> Range<Int>? {
        let last = entry.closesWord ? end - 1 : end
        let first = last - entry.letters.count + 1
        for (offset, letter) in entry.letters.enumerated() {
            let symbol = text.symbols[first + offset]
            guard symbol.letter == letter || symbol.isMixed else { return nil }
            // Three of a letter stand for any number, because hardly any word has them; two are spelling.
            // Next to a wildcard, the rest of a run belongs to what the wildcard stands for.
            let isOpen = (offset == 0 && !entry.opensWord) || (first + offset == last && !entry.closesWord)
            guard symbol.run == entry.runs[offset] || symbol.run >= max(isOpen ? 1 : 3, entry.runs[offset]) else {
                return nil
            }
        }
        // With a wildcard, the match is the whole word.
        var (start, stop) = (text.symbols[first].range.lowerBound, text.symbols[last].range.upperBound)
        if !entry.opensWord, text.symbols[first].kind == .word {
            start = text.symbols[text.words[Int(text.symbols[first].word)].lowerBound].range.lowerBound
        }
        if !entry.closesWord, text.symbols[last].kind == .word {
            stop = text.symbols[text.words[Int(text.symbols[last].word)].upperBound - 1].range.upperBound
        }
        return Int(start)..<Int(stop)
    }

    // MARK: Rules

    private static func parse(
        _ text: String, of rule: Int, id: String
    ) throws(TextRuleError) -> (shape: [UInt8], Entry) {
        guard text.utf8.count <= TextRuleLimits.wordBytes else { throw .tooLarge(id: id) }
        var word = text[...]
        let isOpen = (start: word.hasPrefix("*"), end: word.count > 1 && word.hasSuffix("*"))
        if isOpen.start { word.removeFirst() }
        if isOpen.end { word.removeLast() }
        let folded = FoldedText(String(word))
        guard !word.isEmpty else { throw .empty(id: id) }
        guard !word.contains("*"), let first = folded.letters.first, let last = folded.letters.last,
            first.kind != .separator, last.kind != .separator
        else { throw .badWord(id: id, word: text) }
        var symbols = WordSymbols(folded).symbols[...]
        let opensWord = !isOpen.start && first.kind != .spaceless
        let closesWord = !isOpen.end && last.kind != .spaceless
        if !opensWord { symbols.removeFirst() }
        if !closesWord { symbols.removeLast() }
        var shape: [UInt8] = []
        for symbol in symbols { shape += FoldedText.utf8(symbol.shape) }
        if opensWord { symbols.removeFirst() }
        if closesWord { symbols.removeLast() }
        let entry = Entry(
            rule: rule, letters: symbols.map(\.letter), runs: symbols.map(\.run), opensWord: opensWord,
            closesWord: closesWord)
        return (shape, entry)
    }
}
