/// Parses a server's output with only RFC 6455 and the basics of RFC 9112. It shares no code with the server's codec.
struct FrameReader {
    enum Input {
        /// A successful handshake.
        case upgraded
        /// Any other answer to the handshake.
        case refused(status: Int)
        case text([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(code: Int)
        /// Anything that a server must not send.
        case invalid(String)
    }

    private var buffer: [UInt8] = []
    /// The buffer offset from which each stamp applies.
    private var stamps: [(start: Int, stamp: UInt64)] = []
    private var isUpgraded = false
    private var isOver = false

    mutating func feed(_ piece: SimulatedPipe.Piece) {
        stamps.append((buffer.count, piece.stamp))
        buffer += piece.bytes
    }

    /// - Returns: The next complete input, and the last durable frame when its first byte was sent.
    mutating func next() -> (Input, stamp: UInt64)? {
        guard !isOver, let stamp = stamps.first?.stamp, let (input, size) = isUpgraded ? frame() : head() else {
            // Nothing follows a close frame. RFC 6455 §5.5.1.
            guard isOver, let stamp = stamps.first?.stamp, !buffer.isEmpty else { return nil }
            consume(buffer.count)
            return (.invalid("bytes after the end"), stamp)
        }
        consume(size)
        switch input {
        case .close, .invalid, .refused: isOver = true
        default: break
        }
        return (input, stamp)
    }

    private mutating func consume(_ count: Int) {
        buffer.removeFirst(count)
        let holding = stamps.lastIndex { $0.start <= count } ?? 0
        stamps.removeFirst(holding)
        for index in stamps.indices { stamps[index].start = max(0, stamps[index].start - count) }
        if buffer.isEmpty { stamps = [] }
    }

    private mutating func head() -> (Input, Int)? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard buffer.count >= 4,
            let place = (0...buffer.count - 4).first(where: { buffer[$0] == 13 && Array(buffer[$0..<$0 + 4]) == end })
        else { return nil }
        let lines = String(decoding: buffer[..<place], as: UTF8.self).split(separator: "\r\n")
        isUpgraded = true
        let status = lines.first.flatMap { $0.hasPrefix("HTTP/1.1 ") ? Int($0.dropFirst(9).prefix(3)) : nil }
        if let status, status >= 400 { return (.refused(status: status), buffer.count) }
        guard status == 101,
            // The answer to the key in the example of RFC 6455 §1.3.
            lines.contains(where: { $0.lowercased() == "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=" })
        else { return (.invalid("no upgrade: \(lines)"), place + 4) }
        return (.upgraded, place + 4)
    }

    private func frame() -> (Input, Int)? {
        guard buffer.count >= 2 else { return nil }
        let (first, second) = (buffer[0], buffer[1])
        guard first & 0x70 == 0, second & 0x80 == 0, first & 0x80 != 0 else {
            return (.invalid("frame begins with \(first) \(second)"), buffer.count)
        }
        var length = Int(second)
        var start = 2
        if length >= 126 {
            let bytes = length == 126 ? 2 : 8
            guard buffer.count >= 2 + bytes else { return nil }
            length = 0
            for byte in buffer[2..<2 + bytes] { length = length * 256 + Int(byte) }
            start += bytes
            guard length >= (bytes == 2 ? 126 : 65_536), length < 1 << 30 else {
                return (.invalid("length of \(length) in \(bytes) bytes"), buffer.count)
            }
        }
        guard buffer.count >= start + length else { return nil }
        return (input(first & 15, Array(buffer[start..<start + length])), start + length)
    }

    private func input(_ opcode: UInt8, _ payload: [UInt8]) -> Input {
        switch opcode {
        case 1: String(validating: payload, as: UTF8.self) == nil ? .invalid("text is not valid UTF-8") : .text(payload)
        case 8 where payload.count >= 2: .close(code: Int(payload[0]) * 256 + Int(payload[1]))
        case 8: .close(code: 1005)
        case 9: .ping(payload)
        case 10: .pong(payload)
        default: .invalid("opcode \(opcode)")
        }
    }
}
