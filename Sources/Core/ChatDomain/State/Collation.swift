@_spi(_Unicode) import Swift

/// The alphabetical order of names: by letters without case and marks, then by the lower-case text. The key is computed
/// once, when a name is set; comparing names then compares bytes, and gives the same result in every process.
///
///     emile | 0 | émile        the second half only for names that are not ASCII
enum Collation {
    /// The maximum size of each half of a key, which keeps page tokens short; names equal up to it are equal.
    static let halfBytes = 256

    static func key(_ name: String) -> String { key(folded: name.lowercased()) }

    /// - Parameter folded: The name in lower case. Folding is much of the work, and searches need the folded name too.
    static func key(folded: String) -> String {
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: prefix(Array(folded.utf8)), as: UTF8.self) }
        var letters: [UInt8] = []
        letters.reserveCapacity(halfBytes + 4)
        // No more scalars are needed than bytes are kept.
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

    /// Accents above and below, strokes through letters, Hebrew and Arabic points, and kana voicing marks, which the
    /// root collation of Unicode also compares only if the letters are equal. Vowel signs of other scripts are kept.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 1, 8, 10...36, 200...254: return true
        default: return false
        }
    }

    /// Latin letters that Unicode does not decompose, as alphabets without them sort them.
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

    /// As many whole scalars as half a key holds.
    private static func prefix(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.count > halfBytes else { return bytes[...] }
        var end = halfBytes
        while end > 0, UTF8.isContinuation(bytes[end]) { end -= 1 }
        return bytes[..<end]
    }
}
