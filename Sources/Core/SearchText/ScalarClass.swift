/// The role of a scalar in a text that is divided into words.
package enum ScalarClass {
    /// A letter, mark or digit of a script that separates words.
    case word
    /// A letter, mark or digit of a script that does not.
    case spaceless
    /// An emoji or another symbol, each of which is a word.
    case symbol
    /// A mark, which belongs to what precedes it.
    case mark
    /// Without a meaning of its own, such as a joiner, a soft hyphen or the key around a digit.
    case ignored
    case separator

    package init(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x80 {
            let isLetter = (0x61...0x7A).contains(scalar.value | 0x20)
            self = isLetter || (0x30...0x39).contains(scalar.value) ? .word : .separator
            return
        }
        // By far the most common letters without spaces.
        if (0x4E00...0x9FFF).contains(scalar.value) || (0x3041...0x3096).contains(scalar.value) {
            self = .spaceless
            return
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            self = Self.isSpaceless(scalar.value) ? .spaceless : .word
        case .nonspacingMark, .spacingMark:
            if scalar.properties.isDefaultIgnorableCodePoint {
                self = .ignored
            } else {
                self = Self.isSpaceless(scalar.value) ? .spaceless : .mark
            }
        case .otherSymbol: self = .symbol
        case .format, .enclosingMark: self = .ignored
        default: self = .separator
        }
    }

    /// Whether the scalar is in a block of Han, kana, Bopomofo, Yi, Thai, Lao, Tibetan, Myanmar, Khmer or a script
    /// related to these.
    private static func isSpaceless(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x109F, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF, 0x1B00...0x1B7F: true
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x302F, 0x3031...0x312F, 0x31A0...0x31BF: true
        case 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA980...0xA9FF: true
        case 0xAA60...0xAADF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF: true
        default: false
        }
    }
}
