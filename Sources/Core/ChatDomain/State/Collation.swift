@_spi(_Unicode) import Swift

/// The alphabetical order of names: by letters without case and diacritics, then by the lower-case text. Each name gets
/// a key when it is set. Keys are compared by bytes, with the same result in every process.
///
///     emile | 0 | émile        the second half only for names that are not ASCII
enum Collation {
    /// The maximum size of each half of a key, in bytes. It limits the size of page tokens; longer names with equal
    /// halves count as equal.
    static let halfBytes = 256

    static func key(_ name: String) -> String { key(folded: name.lowercased()) }

    /// - Parameter folded: The name in lower case, which searches need too; folding is much of the work.
    static func key(folded: String) -> String {
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: prefix(Array(folded.utf8)), as: UTF8.self) }
        var letters: [UInt8] = []
        letters.reserveCapacity(halfBytes + 4)
        // The key never needs more scalars than bytes.
        for scalar in folded._nfd.prefix(halfBytes) {
            guard letters.count <= halfBytes else { break }
            if scalar.value < 0x80 {
                letters.append(UInt8(scalar.value))
            } else if let plain = withoutDecomposition(scalar) {
                letters.append(contentsOf: plain.utf8)
            } else if !isMark(scalar) {
                letters.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        let key = prefix(letters) + [0] + prefix(Array(folded.utf8))
        return String(decoding: key, as: UTF8.self)
    }

    /// Returns whether a scalar is an accent, a stroke through a letter, a Hebrew or Arabic point, or a kana voicing
    /// mark. The root collation of Unicode also compares these only if the letters are equal. Vowel signs of other
    /// scripts are kept.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 8, 10...36, 200...254: return true
        default: return false
        }
    }

    /// Returns the spelling under which alphabets without a letter sort it, for Latin letters that Unicode does not
    /// decompose.
    private static func withoutDecomposition(_ scalar: Unicode.Scalar) -> String? {
        guard scalar.value < 0x180 else { return nil }
        return switch scalar {
        case "ß": "ss"
        case "æ": "ae"
        case "œ": "oe"
        case "ø": "o"
        case "đ", "ð": "d"
        case "ħ": "h"
        case "ı": "i"
        case "ł": "l"
        case "ŧ": "t"
        case "þ": "th"
        default: nil
        }
    }

    /// Returns the longest prefix of whole scalars that fits into half a key.
    private static func prefix(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.count > halfBytes else { return bytes[...] }
        var end = halfBytes
        while end > 0, UTF8.isContinuation(bytes[end]) { end -= 1 }
        return bytes[..<end]
    }
}
