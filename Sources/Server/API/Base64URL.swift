import FoundationEssentials

/// Base64 with the URL alphabet and without padding. RFC 7515 §2.
enum Base64URL {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let base64 = Data(bytes).base64EncodedString().utf8
        return String(
            decoding: base64.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }

    /// - Returns: `nil` for any other character, including padding, and when unused bits of the last character are set,
    ///   because then several texts would decode to the same bytes. RFC 4648 §3.5.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var last: UInt8?
        var base64: [UInt8] = []
        base64.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            last = byte
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                base64.append(byte)
            default: return nil
            }
        }
        if let last, unusedBits(of: last, base64.count) != 0 { return nil }
        while base64.count % 4 != 0 { base64.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(base64)).map(Array.init)
    }

    /// The bits of the last character beyond the last whole byte.
    private static func unusedBits(of last: UInt8, _ count: Int) -> UInt8 {
        let value: UInt8 =
            switch last {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): last - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): last - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): last - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): 62
            default: 63
            }
        return switch count % 4 {
        case 2: value & 0x0F
        case 3: value & 0x03
        default: 0
        }
    }
}
