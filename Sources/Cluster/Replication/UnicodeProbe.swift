/// Shows whether two processes have the same Unicode tables.
///
/// Names are compared in lower case, and keys by canonical equivalence. Both depend on the Unicode version of the Swift
/// runtime, so nodes with different ones could come to different states.
package enum UnicodeProbe {
    /// The digest of this process.
    package static let digest = hash(lowercasing: { $0.lowercased() }, comparing: ==)

    /// - Returns: A hash of what the functions return for a fixed list of strings.
    package static func hash(
        lowercasing: (String) -> String, comparing areEqual: (String, String) -> Bool
    ) -> UInt64 {
        var hash = Hash()
        for capital in capitals { hash.add(Array(lowercasing(capital).utf8)) }
        for (a, b) in pairs { hash.add([areEqual(a, b) ? 1 : 0]) }
        return hash.value
    }

    /// Capital letters, among them some that Unicode 9 to 17 added or whose lower case has several scalars.
    private static let capitals = [
        "STRASSE", "ÄÖÜ", "\u{130}", "\u{1E9E}", "\u{3A3}", "\u{1C90}", "\u{10A0}", "\u{13A0}", "\u{1E900}",
        "\u{A7AE}", "\u{A7BA}", "\u{A7C2}", "\u{A7C7}", "\u{A7F5}", "\u{2C2F}", "\u{A7C0}", "\u{A7D0}", "\u{10570}",
        "\u{1C89}", "\u{A7CB}", "\u{A7DA}", "\u{10D50}", "\u{A7CE}", "\u{A7D2}", "\u{16EA0}",
    ]

    /// Strings that are canonically equivalent, at least in some version: compositions, and marks in either order.
    private static let pairs = [
        ("\u{E9}", "e\u{301}"), ("\u{AC00}", "\u{1100}\u{1161}"), ("\u{212B}", "\u{C5}"), ("a", "\u{430}"),
        ("a\u{301}\u{316}", "a\u{316}\u{301}"), ("a\u{8D4}\u{316}", "a\u{316}\u{8D4}"),
        ("a\u{1DF6}\u{316}", "a\u{316}\u{1DF6}"), ("a\u{8D3}\u{301}", "a\u{301}\u{8D3}"),
        ("a\u{1ABF}\u{301}", "a\u{301}\u{1ABF}"), ("a\u{898}\u{316}", "a\u{316}\u{898}"),
        ("a\u{1DFA}\u{316}", "a\u{316}\u{1DFA}"), ("a\u{897}\u{316}", "a\u{316}\u{897}"),
        ("a\u{1ACF}\u{316}", "a\u{316}\u{1ACF}"), ("\u{11938}", "\u{11935}\u{11930}"),
        ("\u{105C9}", "\u{105D2}\u{307}"), ("\u{16121}", "\u{1611E}\u{1611E}"),
    ]

    /// FNV-1a.
    private struct Hash {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325

        /// Adds bytes and their number.
        mutating func add(_ bytes: [UInt8]) {
            for byte in bytes + [UInt8(truncatingIfNeeded: bytes.count)] {
                value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
    }
}
