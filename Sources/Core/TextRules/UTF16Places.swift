/// Converts places in bytes of UTF-8 to places in UTF-16 units.
struct UTF16Places {
    /// By the byte.
    private var units: [Int32] = [0]

    init(_ text: String) {
        units.reserveCapacity(text.utf8.count + 1)
        var unit: Int32 = 0
        for scalar in text.unicodeScalars {
            let width = UTF8.width(scalar)
            // A place inside a scalar is that of its start.
            for _ in 1..<width { units.append(unit) }
            unit += Int32(UTF16.width(scalar))
            units.append(unit)
        }
    }

    func range(_ bytes: Range<Int>) -> Range<Int> { Int(units[bytes.lowerBound])..<Int(units[bytes.upperBound]) }
}
