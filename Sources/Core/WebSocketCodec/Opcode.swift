/// The type of a frame: the low four bits of its first byte. RFC 6455 §5.2.
package enum Opcode: UInt8, Hashable, Sendable, CaseIterable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Close, ping and pong: at most 125 bytes, never fragmented, allowed between fragments. RFC 6455 §5.5.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}
