// Compiled together with the sources of WebSocketCodec by Tests/fuzz.
//
//     agreement and limits: u8 | step: u8 | bytes as they come from a peer that may compress
//
// If the highest bit of the first byte is set, the payload of one compressed message follows instead.

/// Yields events or a documented violation, never a trap, and never takes more memory than the message limit. The
/// result is the same however the bytes are split, unless a small window is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCompressedFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard input.count > 2 else { return 0 }
    let parameters = DeflateParameters(
        clientNoContextTakeover: input[0] & 1 != 0, clientMaxWindowBits: input[0] & 2 == 0 ? nil : 9)
    let size = input[0] & 4 == 0 ? 600 : 100_000
    let limits = WebSocketLimits(messageBytes: size, frameBytes: size, fragmentsPerMessage: 5)
    var bytes = Array(input[2...])
    if input[0] & 0x80 != 0 {
        let payload = bytes
        bytes = []
        FrameEncoder.append(
            input[0] & 8 == 0 ? .text : .binary, isCompressed: true, payload: payload,
            maskedBy: MaskingKey(randomBits: 0), to: &bytes)
    }
    let whole = receive(bytes, step: bytes.count, parameters, limits)
    let single = receive(bytes, step: 1, parameters, limits)
    let cut = receive(bytes, step: 1 + Int(input[1]), parameters, limits)
    // With a small window, zlib lets a message refer further back within its own recent output.
    if parameters.clientNoContextTakeover || parameters.clientMaxWindowBits == nil {
        precondition(whole == single, "cut into single bytes it differs")
        precondition(whole == cut, "cut it differs")
    }

    // Received messages must round-trip, each separately.
    guard let deflater = Deflater(windowBits: 9, keepsContext: false) else { return 0 }
    for event in whole.events {
        var encoded: [UInt8] = []
        switch event {
        case .text(let message): append(.text, message, by: deflater, to: &encoded)
        case .binary(let message): append(.binary, message, by: deflater, to: &encoded)
        default: continue
        }
        let again = receive(encoded, step: encoded.count, parameters, limits)
        precondition(again.events == [event], "encoded and received it differs")
    }
    return 0
}

private func append(_ opcode: Opcode, _ message: [UInt8], by deflater: Deflater, to bytes: inout [UInt8]) {
    guard let payload = deflater.deflate(message) else { preconditionFailure("what zlib cannot compress") }
    FrameEncoder.append(
        opcode, isCompressed: true, payload: payload, maskedBy: MaskingKey(randomBits: 0x1234_5678), to: &bytes)
}

private struct Received: Equatable {
    var events: [WebSocketEvent] = []
    var violation: ProtocolViolation?
}

private func receive(
    _ bytes: [UInt8], step: Int, _ parameters: DeflateParameters, _ limits: WebSocketLimits
) -> Received {
    var receiver = WebSocketReceiver(role: .server, limits: limits, deflate: parameters)
    var received = Received()
    var offset = 0
    while offset < bytes.count {
        let end = min(offset + step, bytes.count)
        bytes.withUnsafeBytes { receiver.feed(UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
        offset = end
        do throws(ProtocolViolation) {
            while let event = try receiver.next() {
                check(event, limits)
                received.events.append(event)
            }
        } catch {
            precondition(error.closeCode.mayBeSent && !error.description.isEmpty)
            received.violation = error
        }
        precondition(receiver.bufferedBytes <= bytes.count + limits.messageBytes, "more is held than the limit")
    }
    return received
}

private func check(_ event: WebSocketEvent, _ limits: WebSocketLimits) {
    switch event {
    case .text(let message):
        precondition(message.count <= limits.messageBytes && String(validating: message, as: UTF8.self) != nil)
    case .binary(let message): precondition(message.count <= limits.messageBytes)
    default: break
    }
}
