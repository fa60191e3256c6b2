/// SplitMix64, which yields the same numbers for the same seed everywhere.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

    package mutating func chance(percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    /// Returns a text of up to `limit` scalars: letters, escapes, controls, astral planes and everything between.
    package mutating func text(upTo limit: Int) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...limit, using: &self) { text.append(scalar()) }
        return String(text)
    }

    package mutating func scalar() -> Unicode.Scalar {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x20...0x7E, 0x20...0x7E, 0x22...0x22, 0x5C...0x5C, 0x7F...0xFF, 0x300...0x36F,
            0x2028...0x2029, 0xD000...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        let range = ranges[Int.random(in: 0..<ranges.count, using: &self)]
        return Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "?"
    }
}
