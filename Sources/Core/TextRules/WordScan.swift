/// Looks for words in a text without remembering places, which is several times as fast.
struct WordScan: Sendable {
    private static let separator: UInt8 = 0x20
    /// The symbol of each byte: lower case, digits, or the separator.
    private let symbols: [UInt8] = (0..<256).map { value in
        let byte = UInt8(value)
        switch byte {
        case 0x30...0x39, 0x61...0x7A: return byte
        case 0x41...0x5A: return byte | 0x20
        default: return WordScan.separator
        }
    }

    /// Three letters, each with a separator before and after it.
    private static let threeSingleLetters: UInt8 = 0b0101010

    /// Reads plain ASCII.
    ///
    /// - Returns: true if a string of the automaton ends somewhere, or if single letters follow each other so that they may be a word.
    func finds(in bytes: UnsafeBufferPointer<UInt8>, with cursor: ByteAutomaton.Cursor) -> Bool {
        symbols.withUnsafeBufferPointer { symbols in
            var node = cursor.next(ByteAutomaton.root, Self.separator)
            var previous = Self.separator
            var found = node
            // The last symbols, a bit each: whether it is a letter. Anything but a single letter or a separator sets all of them.
            var letters: UInt8 = 0
            var spaced = false
            for byte in bytes {
                let symbol = symbols[Int(byte)]
                if symbol == previous, symbol >= 0x61 || symbol == Self.separator {
                    if symbol >= 0x61 { letters = 0xFF }
                    continue
                }
                previous = symbol
                node = cursor.next(node, symbol)
                found |= node
                letters = letters << 1 | (symbol == Self.separator ? 0 : 1)
                if symbol < 0x61, symbol != Self.separator { letters = 0xFF }
                spaced = spaced || letters & 0x7F == Self.threeSingleLetters
            }
            spaced = spaced || (letters << 1) & 0x7F == Self.threeSingleLetters
            node = cursor.next(node, Self.separator)
            found |= node
            return spaced || found & ByteAutomaton.outputFlag != 0
        }
    }

    /// Reads any text; see above.
    func finds(in text: FoldedText, with cursor: ByteAutomaton.Cursor) -> Bool {
        var state = cursor.next(ByteAutomaton.root, Self.separator)
        var found = state
        var (previous, previousKind) = (UInt32(Self.separator), FoldedText.Kind.separator)
        var letters: UInt8 = 0
        var spaced = false
        for letter in text.letters {
            if letter.kind != previousKind || letter.kind == .symbol, previousKind != .separator {
                state = cursor.next(state, Self.separator)
                found |= state
                letters <<= 1
                spaced = spaced || letters & 0x7F == Self.threeSingleLetters
                previous = UInt32(Self.separator)
            }
            previousKind = letter.kind
            guard letter.kind != .separator else { continue }
            let isDigit = (0x30...0x39).contains(letter.scalar)
            if letter.scalar == previous, letter.kind == .word, !isDigit {
                letters = 0xFF
                continue
            }
            previous = letter.scalar
            letters = isDigit || letter.kind != .word ? 0xFF : letters << 1 | 1
            let shape = Lookalikes.latin(of: letter.scalar)
            if shape < 0x80 {
                state = cursor.next(state, UInt8(truncatingIfNeeded: shape))
            } else {
                for byte in FoldedText.utf8(shape) { state = cursor.next(state, byte) }
            }
            found |= state
        }
        state = cursor.next(state, Self.separator)
        found |= state
        spaced = spaced || (letters << 1) & 0x7F == Self.threeSingleLetters
        return spaced || found & ByteAutomaton.outputFlag != 0
    }
}
