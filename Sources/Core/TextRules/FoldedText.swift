import SearchText

/// A text in the form in which rules are compared with it, with the place of each letter in the original.
///
/// Invisible characters are gone, letters are folded as in a search (no case, no accents), styled letters are ordinary ones, and words
/// that mix alphabets are written in Latin letters as far as they look like these.
///
///     Ｂ\u{200B}ÄD → bad       bаd (with a Cyrillic а) → bad       баd → бad
struct FoldedText {
    enum Kind: UInt8 {
        case separator
        /// A letter, digit or mark of a script that separates words.
        case word
        /// One of a script that does not.
        case spaceless
        /// An emoji or another symbol, each of which is a word.
        case symbol
    }

    struct Letter {
        var scalar: UInt32
        /// The place in the original text, in bytes of UTF-8, with the accents that follow.
        let start: Int32
        var end: Int32
        let kind: Kind
        /// Whether the letter is in a word of several alphabets.
        var isMixed = false
    }

    private(set) var letters: [Letter] = []
    /// Whether the original has invisible characters.
    private(set) var hasInvisible = false

    /// Takes time linear in the length of the text.
    init(_ text: String) {
        letters.reserveCapacity(text.utf8.count)
        var place: Int32 = 0
        var bytes: [UInt8] = []
        for original in text.unicodeScalars {
            let start = place
            place += Int32(UTF8.width(original))
            append(original, start..<place, using: &bytes)
        }
        endWord()
    }

    /// Returns whether a scalar has no visible form: joiners, soft hyphens, variation selectors, direction marks, tags, fillers and
    /// controls except white space.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x80: return isInvisible(ascii: UInt8(truncatingIfNeeded: scalar.value))
        case 0x80...0x9F: return scalar.value != 0x85
        // The most common letters, for speed: looking up a property takes several times as long.
        case 0xA0..<0x530: return [0xAD, 0x34F, 0x488, 0x489].contains(scalar.value)
        case 0x3041...0x3096, 0x3099...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return false
        default: break
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        let category = scalar.properties.generalCategory
        return category == .format || category == .enclosingMark
    }

    static func isInvisible(ascii byte: UInt8) -> Bool {
        (byte < 0x20 && !(0x09...0x0D).contains(byte)) || byte == 0x7F
    }

    /// The folded form of a letter of the alphabets below U+0600 if it is one scalar; looking it up takes a tenth of the time.
    private static func foldedLetter(_ value: UInt32) -> UInt32? {
        guard value < 0x600, alphabets[Int(value)] != 0 else { return nil }
        return alphabets[Int(value)]
    }

    private static let alphabets: [UInt32] = (0..<0x600).map { (value: UInt32) in
        guard let scalar = Unicode.Scalar(value), value >= 0x80, !isInvisible(scalar),
            Lookalikes.plain(scalar) == scalar, ScalarClass(scalar) == .word
        else { return 0 }
        var bytes: [UInt8] = []
        Folding.append(scalar, to: &bytes)
        let folded = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        return folded.count == 1 ? folded[0].value : 0
    }

    static func utf8(_ scalar: UInt32) -> UTF8.EncodedScalar {
        UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }

    /// The letters in UTF-8.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 2)
        for letter in letters {
            if letter.scalar < 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: letter.scalar))
            } else {
                for byte in Self.utf8(letter.scalar) { bytes.append(byte) }
            }
        }
        return bytes
    }

    // MARK: Words

    private var alphabets: Alphabets = []
    private var wordStart = 0

    private mutating func append(_ original: Unicode.Scalar, _ range: Range<Int32>, using bytes: inout [UInt8]) {
        if original.value < 0x80 {
            let byte = UInt8(truncatingIfNeeded: original.value)
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x41...0x5A:
                if let last = letters.last, last.kind != .word { endWord() }
                appendLetter(UInt32(byte >= 0x40 ? byte | 0x20 : byte), range, .word)
            default:
                guard !Self.isInvisible(ascii: byte) else { return hasInvisible = true }
                appendUnchanged(original, range, .separator)
            }
            return
        }
        if let folded = Self.foldedLetter(original.value) {
            if let last = letters.last, last.kind != .word { endWord() }
            return appendLetter(folded, range, .word)
        }
        if (0x4E00...0x9FFF).contains(original.value) {
            if let last = letters.last, last.kind != .spaceless { endWord() }
            return appendLetter(original.value, range, .spaceless)
        }
        guard !Self.isInvisible(original) else { return hasInvisible = true }
        let scalar = Lookalikes.plain(original)
        // The blank of Braille is a symbol that nobody sees.
        let kind = scalar.value == 0x2800 ? ScalarClass.separator : ScalarClass(scalar)
        switch kind {
        case .word: appendFolded(scalar, range, .word, using: &bytes)
        case .spaceless: appendFolded(scalar, range, .spaceless, using: &bytes)
        case .mark:
            // A mark belongs to the letter before it.
            guard let last = letters.last, last.kind == .word || last.kind == .spaceless else { return }
            appendFolded(scalar, range, last.kind, using: &bytes)
        case .ignored: break
        case .symbol: appendUnchanged(scalar, range, .symbol)
        case .separator: appendUnchanged(scalar, range, .separator)
        }
    }

    private mutating func appendUnchanged(_ scalar: Unicode.Scalar, _ range: Range<Int32>, _ kind: Kind) {
        endWord()
        letters.append(Letter(scalar: scalar.value, start: range.lowerBound, end: range.upperBound, kind: kind))
        wordStart = letters.count
    }

    private mutating func appendFolded(
        _ scalar: Unicode.Scalar, _ range: Range<Int32>, _ kind: Kind, using bytes: inout [UInt8]
    ) {
        if let last = letters.last, last.kind != kind { endWord() }
        if scalar.value < 0x80 {
            let isCapital = (0x41...0x5A).contains(scalar.value)
            return appendLetter(scalar.value | (isCapital ? 0x20 : 0), range, kind)
        }
        bytes.removeAll(keepingCapacity: true)
        Folding.append(scalar, to: &bytes)
        if bytes.isEmpty {
            // An accent.
            if let last = letters.indices.last, letters[last].kind == kind { letters[last].end = range.upperBound }
            return
        }
        var index = 0
        while index < bytes.count { appendLetter(Self.decode(bytes, &index), range, kind) }
    }

    private mutating func appendLetter(_ scalar: UInt32, _ range: Range<Int32>, _ kind: Kind) {
        letters.append(Letter(scalar: scalar, start: range.lowerBound, end: range.upperBound, kind: kind))
        alphabets.formUnion(Alphabets(of: scalar))
    }

    private mutating func endWord() {
        if alphabets.areMixed {
            for index in wordStart..<letters.count {
                letters[index].scalar = Lookalikes.latin(of: letters[index].scalar)
                letters[index].isMixed = true
            }
        }
        wordStart = letters.count
        alphabets = []
    }

    private static func decode(_ bytes: [UInt8], _ index: inout Int) -> UInt32 {
        let first = UInt32(bytes[index])
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = count == 1 ? first : first & (0x7F >> UInt32(count))
        for offset in 1..<max(count, 1) { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        index += count
        return value
    }
}
