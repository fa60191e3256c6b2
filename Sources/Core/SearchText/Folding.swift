@_spi(_Unicode) import Swift

/// Reduces letters to the form in which they are compared: full case folding, then no diacritics.
///
///     Straße, STRASSE → strasse      Élan → elan      Łódź → lodz      ＡＢＣ → abc
///
/// The result is the same in every process with the same Unicode tables. A change of the result needs a new version of
/// the index.
package enum Folding {
    /// Alphabets and kana are folded from tables, because folding takes far longer than looking it up.
    private static let alphabets = table(0..<0x600)
    private static let kana = table(0x3040..<0x3100)

    private static func table(_ range: Range<UInt32>) -> [[UInt8]] {
        range.map { value in Unicode.Scalar(value).map(compute) ?? [] }
    }

    /// Appends the folded form of a scalar in UTF-8, which is empty for a diacritic.
    package static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar.value {
        case 0..<0x600: bytes += alphabets[Int(scalar.value)]
        case 0x3040..<0x3100: bytes += kana[Int(scalar.value - 0x3040)]
        case 0x4E00...0x9FFF, 0x0E01...0x0E30: appendUnchanged(scalar, to: &bytes)
        default: bytes += compute(scalar)
        }
    }

    static func appendUnchanged(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(byte) }
    }

    /// Maps the full-width forms of ASCII, which Japanese and Chinese keyboards produce, to ASCII.
    package static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    }

    /// Returns whether a scalar is an accent, a stroke through a letter, or a Hebrew or Arabic point. The voicing marks
    /// of kana and the vowel signs of other scripts are kept.
    static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 10...36, 200...254: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func compute(_ scalar: Unicode.Scalar) -> [UInt8] {
        // Lower case first: the capital ẞ has no upper case of its own. Upper case next: it is what expands ß to two
        // letters and unites the forms of sigma.
        let folded = scalar.properties.lowercaseMapping.uppercased().lowercased()
        var bytes: [UInt8] = []
        for part in folded._nfd where !isDiacritic(part) {
            if let plain = withoutDecomposition(part) { bytes += plain.utf8 } else { appendUnchanged(part, to: &bytes) }
        }
        return bytes
    }

    /// Returns the common spelling of Latin letters whose diacritic Unicode does not separate.
    private static func withoutDecomposition(_ scalar: Unicode.Scalar) -> String? {
        guard (0xE6...0x167).contains(scalar.value) else { return nil }
        return switch scalar {
        case "æ": "ae"
        case "œ": "oe"
        case "ø": "o"
        case "đ", "ð": "d"
        case "ħ": "h"
        case "ł": "l"
        case "ŧ": "t"
        case "þ": "th"
        default: nil
        }
    }
}
