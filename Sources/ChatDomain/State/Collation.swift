@_spi(_Unicode) import Swift

/// The alphabetical order of names: by letters without case and marks, among equals by the lower-case text. Worked out once,
/// when a name is set; comparing two names is then comparing bytes, and every process comes to the same.
///
///     emile | 0 | émile        the second half only where it differs
enum Collation {
    /// What each half of a key holds at most, so that page tokens stay short; longer names are equal after it.
    static let halfBytes = 256

    static func key(_ name: String) -> String {
        let folded = name.lowercased()
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return prefix(folded.unicodeScalars, folded.utf8.count) }
        var letters = String.UnicodeScalarView()
        // As many scalars as bytes may stay are enough.
        for scalar in folded._nfd.prefix(halfBytes) {
            if let plain = withoutDecomposition[scalar] {
                letters.append(contentsOf: plain.unicodeScalars)
            } else if !isMark(scalar) {
                letters.append(scalar)
            }
        }
        return prefix(letters, .max) + "\0" + prefix(folded.unicodeScalars, folded.utf8.count)
    }

    /// Accents above and below, strokes through letters, the points of Hebrew and Arabic, and the voicing of kana: what the
    /// root of the Unicode collation, too, looks at only where the letters are equal. Vowel signs of other scripts stay.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 8, 10...36, 200...254: true
        default: false
        }
    }

    /// Latin letters that Unicode does not take apart, where alphabets without them file them.
    private static let withoutDecomposition: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t",
        "þ": "th",
    ]

    private static func prefix(_ scalars: String.UnicodeScalarView, _ bytes: Int) -> String {
        if bytes <= halfBytes { return String(scalars) }
        var size = 0
        let kept = scalars.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= halfBytes
        }
        return String(String.UnicodeScalarView(kept))
    }
}
