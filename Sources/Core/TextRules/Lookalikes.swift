import SearchText

/// Letters that are drawn like a Latin one.
enum Lookalikes {
    /// Returns the ordinary letter or digit for a styled one, which is the same letter in any text: full-width, mathematical, in a circle
    /// or a square, in small capitals.
    static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard scalar.value >= 0x131 else { return scalar }
        switch scalar.value {
        case 0xFF01...0xFF5E: return Folding.narrow(scalar)
        case 0x1D400...0x1D6A3: return latin((scalar.value - 0x1D400) % 26)
        case 0x1D7CE...0x1D7FF: return ascii(0x30 + (scalar.value - 0x1D7CE) % 10)
        case 0x249C...0x24B5: return latin(scalar.value - 0x249C)
        case 0x24B6...0x24E9: return latin((scalar.value - 0x24B6) % 26)
        case 0x1F110...0x1F129: return latin(scalar.value - 0x1F110)
        case 0x1F130...0x1F149: return latin(scalar.value - 0x1F130)
        case 0x1F150...0x1F169: return latin(scalar.value - 0x1F150)
        case 0x1F170...0x1F189: return latin(scalar.value - 0x1F170)
        case 0x131, 0x251...0x29F, 0x1D00...0x1D22, 0x2102...0x2139, 0xA730...0xA731:
            return styled[scalar.value].map(ascii) ?? scalar
        default: return scalar
        }
    }

    private static func latin(_ index: UInt32) -> Unicode.Scalar { ascii(0x61 + index) }
    private static func ascii(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(UInt8(truncatingIfNeeded: value)) }
    private static func ascii(_ letter: Character) -> Unicode.Scalar { letter.unicodeScalars.first ?? " " }

    /// Small capitals, single-storey letters, and the mathematical letters that Unicode had before the mathematical block.
    private static let styled: [UInt32: Character] = [
        0x0131: "i", 0x0251: "a", 0x0261: "g", 0x0262: "g", 0x026A: "i", 0x0274: "n", 0x0280: "r", 0x028F: "y",
        0x0299: "b", 0x029C: "h", 0x029F: "l", 0x1D00: "a", 0x1D04: "c", 0x1D05: "d", 0x1D07: "e", 0x1D0A: "j",
        0x1D0B: "k", 0x1D0D: "m", 0x1D0F: "o", 0x1D18: "p", 0x1D1B: "t", 0x1D1C: "u", 0x1D20: "v", 0x1D21: "w",
        0x1D22: "z", 0x2102: "c", 0x210A: "g", 0x210B: "h", 0x210C: "h", 0x210D: "h", 0x210E: "h", 0x2110: "i",
        0x2111: "i", 0x2112: "l", 0x2113: "l", 0x2115: "n", 0x2119: "p", 0x211A: "q", 0x211B: "r", 0x211C: "r",
        0x211D: "r", 0x2124: "z", 0x2128: "z", 0x212C: "b", 0x212D: "c", 0x212F: "e", 0x2130: "e", 0x2131: "f",
        0x2133: "m", 0x2134: "o", 0x2139: "i", 0xA730: "f", 0xA731: "s",
    ]

    /// Returns the Latin letter that a folded Greek or Cyrillic letter looks like; other letters unchanged.
    ///
    /// A text that uses the letters of one alphabet must not be read in another: сор is a Russian word and not cop. So this is for words
    /// that mix alphabets only.
    static func latin(of letter: UInt32) -> UInt32 {
        guard letter >= 0x3B1, letter <= 0x51D else { return letter }
        let latin = byLetter[Int(letter - 0x3B1)]
        return latin == 0 ? letter : UInt32(latin)
    }

    private static let byLetter: [UInt8] = {
        var table = [UInt8](repeating: 0, count: 0x51D - 0x3B1 + 1)
        for (letter, latin) in pairs { table[Int(letter.value - 0x3B1)] = UInt8(ascii: latin) }
        return table
    }()

    /// The letters that common fonts draw like a Latin one, and Cyrillic ones of which only the capital is. In the order of Unicode.
    private static let pairs: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("α", "a"), ("β", "b"), ("ε", "e"), ("η", "n"), ("ι", "i"), ("κ", "k"), ("μ", "u"), ("ν", "v"), ("ο", "o"),
        ("ρ", "p"), ("τ", "t"), ("υ", "u"), ("χ", "x"), ("ω", "w"), ("а", "a"), ("в", "b"), ("е", "e"), ("з", "3"),
        ("к", "k"), ("м", "m"), ("н", "h"), ("о", "o"), ("р", "p"), ("с", "c"), ("т", "t"), ("у", "y"), ("х", "x"),
        ("ь", "b"), ("ѕ", "s"), ("і", "i"), ("ј", "j"), ("ү", "y"), ("һ", "h"), ("ӏ", "l"), ("ԁ", "d"), ("ԛ", "q"),
        ("ԝ", "w"),
    ]
}

/// The alphabets of a word whose letters are mistaken for each other.
struct Alphabets: OptionSet {
    let rawValue: UInt8
    static let latin = Alphabets(rawValue: 1)
    static let greek = Alphabets(rawValue: 2)
    static let cyrillic = Alphabets(rawValue: 4)

    /// Whether a word has letters of several alphabets, which hardly any ordinary word has.
    var areMixed: Bool { rawValue & (rawValue &- 1) != 0 }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter letter: A folded scalar.
    init(of letter: UInt32) {
        switch letter {
        case 0x61...0x7A, 0xDF...0x24F, 0x250...0x2AF, 0x1D00...0x1D7F, 0x1E00...0x1EFF: self = .latin
        case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
        case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: self = .cyrillic
        default: self = []
        }
    }
}
