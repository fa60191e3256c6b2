/// Encodes frames as a client sends them (RFC 6455 §5.2): unfragmented and masked.
public enum ClientFrame {
    public static func text(_ payload: [UInt8], mask: UInt32) -> [UInt8] { frame(0x81, payload, mask) }
    public static func pong(_ payload: [UInt8], mask: UInt32) -> [UInt8] { frame(0x8A, payload, mask) }

    /// Returns an unmasked frame, as servers send it, for the bare loop of `send`, which forwards it unchanged.
    public static func unmasked(_ payload: [UInt8]) -> [UInt8] { [0x81] + length(payload.count, bit: 0) + payload }

    private static func frame(_ first: UInt8, _ payload: [UInt8], _ mask: UInt32) -> [UInt8] {
        let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * $0)) }
        return [first] + length(payload.count, bit: 0x80) + key
            + payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
    }

    private static func length(_ count: Int, bit: UInt8) -> [UInt8] {
        switch count {
        case ...125: [bit | UInt8(count)]
        case ...0xFFFF: [bit | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
    }
}
