/// The words of a text, as the search index stores them and as patterns are compared with them.
///
/// Scripts without spaces have no visible words. There, each letter and its successor form a token, and the last letter
/// of a run is one alone, so that a search finds what stands inside.
///
///     Das Wetter in 東京都。 → das, wetter, in, 東京, 京都, 都
package struct SearchWords: Sendable {
    package enum Kind: Sendable {
        case word
        case symbol
        /// Two neighbours of a run without spaces.
        case pair
        /// The last letter of such a run.
        case last
    }

    package struct Token: Sendable {
        package let kind: Kind
        /// The folded text, as a range of `bytes`; never empty. The tokens of a run overlap.
        let bytes: Range<Int>
        /// The place in the original text, in UTF-16 units.
        package let range: Range<Int>
        /// The end of the first letter of a pair; otherwise the end of the token.
        let firstEnd: Int
    }

    /// The folded words in UTF-8: only letters, digits, marks and symbols.
    private(set) var bytes: [UInt8] = []
    /// In the order of the text.
    package private(set) var tokens: [Token] = []

    /// The number of scalars after which the rest of a longer word is not compared.
    package static let scalarLimit = 64

    /// Takes time linear in the length of the text.
    package init(_ text: String) {
        bytes.reserveCapacity(text.utf8.count)
        var tokenizer = Tokenizer()
        for scalar in text.unicodeScalars { tokenizer.add(scalar, to: &self) }
        tokenizer.finish(&self)
    }

    package func text(of token: Token) -> String { String(decoding: bytes[token.bytes], as: UTF8.self) }

    /// The tokens, separated by spaces.
    package var joined: String {
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count * 2 + tokens.count)
        for token in tokens {
            joined += bytes[token.bytes]
            joined.append(0x20)
        }
        return String(decoding: joined.dropLast(), as: UTF8.self)
    }

    // MARK: Tokenizer

    fileprivate mutating func append(_ scalar: Unicode.Scalar) { Folding.append(scalar, to: &bytes) }
    fileprivate mutating func append(ascii byte: UInt8) { bytes.append(byte) }
    fileprivate mutating func appendUnchanged(_ scalar: Unicode.Scalar) {
        Folding.appendUnchanged(scalar, to: &bytes)
    }

    fileprivate mutating func append(
        _ kind: Kind, _ bytes: Range<Int>, _ range: Range<Int>, firstEnd: Int? = nil
    ) {
        guard !bytes.isEmpty else { return }
        tokens.append(Token(kind: kind, bytes: bytes, range: range, firstEnd: firstEnd ?? range.upperBound))
    }
}

private struct Tokenizer {
    /// A word in progress, or a letter of a run, with the marks that belong to it.
    private struct Piece {
        let firstByte: Int
        let start: Int
        var end: Int
        var scalars = 0
    }

    /// In UTF-16 units.
    private var place = 0
    private var word: Piece?
    private var run: [Piece] = []

    mutating func add(_ original: Unicode.Scalar, to words: inout SearchWords) {
        let start = place
        place += original.value > 0xFFFF ? 2 : 1
        let scalar = Folding.narrow(original)
        switch ScalarClass(scalar) {
        case .word:
            endRun(&words)
            extendWord(scalar, from: start, &words)
        case .mark:
            if !run.isEmpty {
                extendLetter(scalar, &words)
            } else if word != nil {
                extendWord(scalar, from: start, &words)
            }
        case .spaceless:
            endWord(&words)
            // The voicing mark of a decomposed kana.
            if (0x3099...0x309A).contains(scalar.value), !run.isEmpty { return extendLetter(scalar, &words) }
            let firstByte = words.bytes.count
            words.append(scalar)
            guard words.bytes.count > firstByte else { return }
            run.append(Piece(firstByte: firstByte, start: start, end: place))
        case .symbol:
            endWord(&words)
            endRun(&words)
            let firstByte = words.bytes.count
            words.appendUnchanged(scalar)
            words.append(.symbol, firstByte..<words.bytes.count, start..<place)
        case .ignored: break
        case .separator:
            endWord(&words)
            endRun(&words)
        }
    }

    mutating func finish(_ words: inout SearchWords) {
        endWord(&words)
        endRun(&words)
    }

    private mutating func extendWord(_ scalar: Unicode.Scalar, from start: Int, _ words: inout SearchWords) {
        var current = word ?? Piece(firstByte: words.bytes.count, start: start, end: start)
        if current.scalars < SearchWords.scalarLimit {
            if scalar.value < 0x80 {
                let isCapital = (0x41...0x5A).contains(scalar.value)
                words.append(ascii: UInt8(truncatingIfNeeded: scalar.value) | (isCapital ? 0x20 : 0))
            } else {
                words.append(scalar)
            }
        }
        current.scalars += 1
        current.end = place
        word = current
    }

    private mutating func extendLetter(_ mark: Unicode.Scalar, _ words: inout SearchWords) {
        let last = run.count - 1
        run[last].end = place
        run[last].scalars += 1
        // A pile of marks does not make a letter longer than a word.
        if run[last].scalars < SearchWords.scalarLimit { words.append(mark) }
    }

    private mutating func endWord(_ words: inout SearchWords) {
        guard let word else { return }
        words.append(.word, word.firstByte..<words.bytes.count, word.start..<word.end)
        self.word = nil
    }

    private mutating func endRun(_ words: inout SearchWords) {
        guard let last = run.last else { return }
        for index in 0..<run.count - 1 {
            let (letter, next) = (run[index], run[index + 1])
            let end = index + 2 < run.count ? run[index + 2].firstByte : words.bytes.count
            words.append(.pair, letter.firstByte..<end, letter.start..<next.end, firstEnd: letter.end)
        }
        words.append(.last, last.firstByte..<words.bytes.count, last.start..<last.end)
        run.removeAll(keepingCapacity: true)
    }
}
