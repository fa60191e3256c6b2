/// The id of a message: a time-ordered 128-bit UUIDv7 (RFC 9562 §5.7), written in the canonical 36-character form.
///
///     unix_ts_ms: 48 bits | version 7: 4 | random: 12 | variant 0b10: 2 | random: 62
///
/// 16 bytes in memory. Ids sort by creation time.
public struct MessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first 64 bits: the time, the version and 12 random bits.
    public let high: UInt64
    /// The last 64 bits: the variant and 62 random bits.
    public let low: UInt64

    /// Creates a value from its fields.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an id from a time in milliseconds since 1970 and 74 random bits.
    public init(milliseconds: Int64, random: (UInt64, UInt64)) {
        let time = UInt64(truncatingIfNeeded: milliseconds) & 0xFFFF_FFFF_FFFF
        high = time << 16 | 0x7000 | random.0 & 0x0FFF
        low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// The time in the id, in milliseconds since 1970.
    package var milliseconds: Int64 { Int64(high >> 16) }

    /// Parses the canonical form, in either letter case.
    public init?(_ text: String) {
        var text = text
        guard let id = text.withUTF8({ MessageID(utf8: $0) }) else { return nil }
        self = id
    }

    /// Parses the UTF-8 bytes of the canonical form.
    package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.hexadecimalDigit(byte) else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | digit
        }
        (high, low) = words
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The canonical 36-character form, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textSize) { buffer in
            write(to: buffer)
            return Self.textSize
        }
    }

    /// The length of the canonical form in bytes.
    package static let textSize = 36

    /// Writes the canonical form.
    ///
    /// - Parameter buffer: At least `textSize` bytes, which may be uninitialized.
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        var position = 0
        func put(_ word: UInt64, _ range: ClosedRange<Int>) {
            for nibble in range {
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * nibble)) & 0xF
                buffer[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                position += 1
            }
        }
        func dash() {
            buffer[position] = UInt8(ascii: "-")
            position += 1
        }
        put(high, 0...7)
        dash()
        put(high, 8...11)
        dash()
        put(high, 12...15)
        dash()
        put(low, 0...3)
        dash()
        put(low, 4...15)
    }

    /// The next greater id: increments the random bits and carries into the time if they overflow.
    package var successor: MessageID {
        let (counted, carries) = (low & 0x3FFF_FFFF_FFFF_FFFF).addingReportingOverflow(1)
        let isFull = carries || counted > 0x3FFF_FFFF_FFFF_FFFF
        guard isFull else { return MessageID(high: high, low: 0x8000_0000_0000_0000 | counted) }
        let random = (high & 0x0FFF) + 1
        guard random > 0x0FFF else { return MessageID(high: high & ~0x0FFF | random, low: 0x8000_0000_0000_0000) }
        return MessageID(high: ((high >> 16) &+ 1) << 16 | 0x7000, low: 0x8000_0000_0000_0000)
    }

    /// Orders ids by their bits, and so by their time.
    public static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension MessageID: Codable {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = MessageID(text) else { throw invalid("a message id", decoder) }
        self = id
    }
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
