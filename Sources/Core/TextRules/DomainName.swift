/// A domain in the one form in which domains are compared: lower-case letters, not in Punycode, without the dot at the end.
///
///     EXAMPLE.com. → example.com       XN--BCHER-KVA.example → bücher.example
struct DomainName: Hashable, Sendable {
    /// From the left; never empty.
    let labels: [String]

    /// Reads the name as it stands in an address. Two spellings of an accent are equal, because strings compare by characters.
    ///
    /// - Returns: nil for something that is no name: an empty or long label, or a character that ends an address.
    init?(_ text: some StringProtocol) {
        var text = String(text).lowercased()[...]
        if text.hasSuffix(".") { text.removeLast() }
        guard !text.isEmpty, text.utf8.count <= TextRuleLimits.domainBytes else { return nil }
        var labels: [String] = []
        for label in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard !label.isEmpty, label.unicodeScalars.allSatisfy(Self.isPart) else { return nil }
            if label.hasPrefix("xn--") {
                // A label that cannot be decoded equals only itself.
                labels.append(Punycode.decode(label.dropFirst(4))?.lowercased() ?? String(label))
            } else {
                labels.append(String(label))
            }
        }
        self.labels = labels
    }

    /// Whether a scalar may occur in a name: letters, marks and digits of any script, hyphens, and the underscore that some names have.
    static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            let isLetter = (0x61...0x7A).contains(scalar.value | 0x20)
            return isLetter || (0x30...0x39).contains(scalar.value) || scalar == "-" || scalar == "_"
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .otherSymbol, .modifierSymbol:
            return true
        default: return false
        }
    }
}

/// The encoding of Unicode labels in ASCII. RFC 3492.
enum Punycode {
    /// - Parameter text: A label without `xn--`.
    /// - Returns: nil if it is not Punycode.
    static func decode(_ text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 59 else { return nil }
        var scalars: [Unicode.Scalar] = []
        var index = 0
        if let hyphen = bytes.lastIndex(of: UInt8(ascii: "-")) {
            for byte in bytes[..<hyphen] {
                guard byte < 0x80 else { return nil }
                scalars.append(Unicode.Scalar(byte))
            }
            index = hyphen + 1
        }
        var (value, place, bias) = (128, 0, 72)
        while index < bytes.count {
            let start = place
            var (weight, step) = (1, 36)
            while true {
                guard index < bytes.count, let digit = digit(bytes[index]) else { return nil }
                index += 1
                place += digit * weight
                let threshold = min(max(step - bias, 1), 26)
                if digit < threshold { break }
                weight *= 36 - threshold
                step += 36
                guard place < 1 << 32, weight < 1 << 32 else { return nil }
            }
            let count = scalars.count + 1
            bias = adapted(place - start, count, isFirst: start == 0)
            value += place / count
            place %= count
            guard value <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
            scalars.insert(scalar, at: place)
            place += 1
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x61...0x7A: Int(byte) - 0x61
        case 0x30...0x39: Int(byte) - 0x30 + 26
        default: nil
        }
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
