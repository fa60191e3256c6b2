import Testing
import WebSocketCodec

/// Returns the payload of an independently compressed message.
func deflated(
    _ message: [UInt8], windowBits: Int = 15, level: Int = 9, sourceLocation: SourceLocation = #_sourceLocation
) throws -> [UInt8] {
    let deflater = try #require(
        Deflater(windowBits: windowBits, level: level, keepsContext: false), sourceLocation: sourceLocation)
    return try #require(deflater.deflate(message), sourceLocation: sourceLocation)
}

/// Returns a compressed message as a client sends it, in this number of frames.
func compressed(_ opcode: Opcode, _ payload: [UInt8], fragments: Int = 1) -> [UInt8] {
    var frames: [UInt8] = []
    for index in 0..<fragments {
        let (start, end) = (payload.count * index / fragments, payload.count * (index + 1) / fragments)
        FrameEncoder.append(
            index == 0 ? opcode : .continuation, isFinal: index == fragments - 1, isCompressed: index == 0,
            payload: payload[start..<end], maskedBy: key, to: &frames)
    }
    return frames
}

func receive(
    compressed bytes: [UInt8], limits: WebSocketLimits = WebSocketLimits(),
    as parameters: DeflateParameters = DeflateParameters(), step: Int? = nil
) -> Received {
    var receiver = WebSocketReceiver(role: .server, limits: limits, deflate: parameters)
    var received = Received()
    var rest = bytes[...]
    repeat {
        receiver.feed(rest.prefix(step ?? bytes.count))
        rest = rest.dropFirst(step ?? bytes.count)
        receiver.drain(into: &received)
    } while !rest.isEmpty
    return received
}
