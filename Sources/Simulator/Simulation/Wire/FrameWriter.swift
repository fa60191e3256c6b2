/// Encodes client messages as masked frames, whole or fragmented. RFC 6455 §5.2, §5.4.
struct FrameWriter {
    static let upgrade = Array(
        """
        GET /connection/websocket HTTP/1.1\r\nHost: chat\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n
        """.utf8)

    var random: SplitMix

    /// Encodes a text message, occasionally fragmented with a ping in between.
    mutating func text(_ payload: [UInt8]) -> [UInt8] {
        guard payload.count > 1, random.chance(percent: 15) else { return frame(0x81, payload) }
        let middle = 1 + random.below(payload.count - 1)
        let ping = random.chance(percent: 30) ? frame(0x89, [1, 2, 3]) : []
        return frame(0x01, Array(payload[..<middle])) + ping + frame(0x80, Array(payload[middle...]))
    }

    mutating func close() -> [UInt8] { frame(0x88, [0x03, 0xE8]) }
    mutating func ping(_ payload: [UInt8]) -> [UInt8] { frame(0x89, payload) }
    mutating func pong(_ payload: [UInt8]) -> [UInt8] { frame(0x8A, payload) }

    private mutating func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes = [first]
        let count = payload.count
        if count < 126 {
            bytes.append(0x80 | UInt8(count))
        } else if count < 65_536 {
            bytes += [0x80 | 126, UInt8(count / 256), UInt8(count % 256)]
        } else {
            bytes += [0x80 | 127, 0, 0, 0, 0, UInt8(count >> 24 & 255), UInt8(count >> 16 & 255)]
            bytes += [UInt8(count >> 8 & 255), UInt8(count & 255)]
        }
        let number = random.next()
        let key = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        bytes += key
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index % 4]) }
        return bytes
    }
}
