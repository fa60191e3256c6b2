/// A form of a text in UTF-8 with the place of each byte in the original.
struct VisibleText {
    private(set) var bytes: [UInt8] = []
    /// The place of the original character of each byte, in bytes of UTF-8, and the end.
    private var places: [Range<Int32>] = []

    /// The text without invisible characters.
    init(visible text: String) {
        self.init(text) { FoldedText.isInvisible($0) ? nil : $0 }
    }

    /// The text as browsers read an address: also full-width characters and dots are ordinary ones.
    init(address text: String) {
        self.init(text) { scalar in
            switch scalar.value {
            case 0x3002, 0xFF0E, 0xFF61, 0x2024: return "."
            case 0x2044, 0x2215, 0xFF0F: return "/"
            default: return FoldedText.isInvisible(scalar) ? nil : Lookalikes.plain(scalar)
            }
        }
    }

    private init(_ text: String, _ form: (Unicode.Scalar) -> Unicode.Scalar?) {
        let count = text.utf8.count
        bytes.reserveCapacity(count)
        places.reserveCapacity(count)
        var place: Int32 = 0
        for scalar in text.unicodeScalars {
            let start = place
            place += Int32(UTF8.width(scalar))
            if let form = form(scalar) { append(form, start..<place) }
        }
    }

    /// The folded text.
    init(_ text: FoldedText) {
        bytes.reserveCapacity(text.letters.count)
        places.reserveCapacity(text.letters.count)
        for letter in text.letters {
            append(Unicode.Scalar(letter.scalar) ?? "\u{FFFD}", letter.start..<letter.end)
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ place: Range<Int32>) {
        if scalar.value < 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            places.append(place)
            return
        }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            bytes.append(byte)
            places.append(place)
        }
    }

    /// Returns the place in the original of a range of `bytes` that is not empty.
    func original(_ range: Range<Int>) -> Range<Int> {
        Int(places[range.lowerBound].lowerBound)..<Int(places[range.upperBound - 1].upperBound)
    }
}
