@_spi(_Unicode) import Swift

/// The alphabetical order of names: by letters without case and marks, then by the lower-case text. The key is computed
/// once, when a name is set; comparing names then compares bytes, and gives the same result in every process.
///
///     emile | 0 | émile        the second half only where it differs
enum Collation {
    /// The maximum size of each half of a key, which keeps page tokens short; names equal up to it are equal.
    static let halfBytes = 256

    static func key(_ name: String) -> String {
        let folded = name.lowercased()
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return prefix(folded.unicodeScalars, folded.utf8.count) }
        var letters = String.UnicodeScalarView()
        // No more scalars are needed than bytes are kept.
        for scalar in folded._nfd.prefix(halfBytes) {
            if let plain = withoutDecomposition[scalar] {
                letters.append(contentsOf: plain.unicodeScalars)
            } else if !isMark(scalar) {
                letters.append(scalar)
            }
        }
        return prefix(letters, .max) + "\0" + prefix(folded.unicodeScalars, folded.utf8.count)
    }

    /// Accents above and below, strokes through letters, Hebrew and Arabic points, and kana voicing marks, which the
    /// root collation of Unicode also compares only if the letters are equal. Vowel signs of other scripts are kept.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 8, 10...36, 200...254: true
        default: false
        }
    }

    /// Latin letters that Unicode does not decompose, as alphabets without them sort them.
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
