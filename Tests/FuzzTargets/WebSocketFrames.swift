// Compiled together with the sources of WebSocketCodec by Tests/fuzz.
//
//     role and limits: u8 | step: u8 | bytes as they come from a peer

/// Yields events or a documented violation, the same however the bytes are split, never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocketFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard input.count > 2 else { return 0 }
    let role = input[0] & 1 == 0 ? Role.server : .client
    let limits =
        input[0] & 2 == 0
        ? WebSocketLimits(messageBytes: 600, frameBytes: 500, fragmentsPerMessage: 5)
        : WebSocketLimits(messageBytes: .max, frameBytes: .max, fragmentsPerMessage: .max)
    let bytes = UnsafeRawBufferPointer(rebasing: input[2...])
    let whole = receive(bytes, step: bytes.count, role, limits)
    precondition(whole == receive(bytes, step: 1, role, limits), "cut into single bytes it differs")
    precondition(whole == receive(bytes, step: 1 + Int(input[1]), role, limits), "cut it differs")

    // Received messages must round-trip.
    var encoded: [UInt8] = []
    let key = role == .server ? MaskingKey(randomBits: 0x1234_5678) : nil
    for event in whole.events { append(event, maskedBy: key, to: &encoded) }
    let again = encoded.withUnsafeBytes { receive($0, step: encoded.count, role, limits) }
    // A fragmented message can be larger than the frame limit.
    if again.violation == nil { precondition(again.events == whole.events, "encoded and received it differs") }
    return 0
}

private struct Received: Equatable {
    var events: [WebSocketEvent] = []
    var violation: ProtocolViolation?
}

private func receive(
    _ bytes: UnsafeRawBufferPointer, step: Int, _ role: Role, _ limits: WebSocketLimits
) -> Received {
    var receiver = WebSocketReceiver(role: role, limits: limits)
    var received = Received()
    var offset = 0
    while offset < bytes.count {
        let end = min(offset + step, bytes.count)
        receiver.feed(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
        offset = end
        do throws(ProtocolViolation) {
            while let event = try receiver.next() {
                check(event)
                received.events.append(event)
            }
        } catch {
            precondition(error.closeCode.mayBeSent && !error.description.isEmpty)
            received.violation = error
        }
        precondition(receiver.bufferedBytes <= bytes.count, "more is held than came")
    }
    return received
}

private func check(_ event: WebSocketEvent) {
    switch event {
    case .text(let bytes): precondition(String(validating: bytes, as: UTF8.self) != nil)
    case .binary: break
    case .ping(let bytes), .pong(let bytes): precondition(bytes.count <= 125)
    case .close(let code, let reason):
        precondition(code?.mayBeSent ?? reason.isEmpty)
        precondition(reason.count <= 123 && String(validating: reason, as: UTF8.self) != nil)
    }
}

private func append(_ event: WebSocketEvent, maskedBy key: MaskingKey?, to bytes: inout [UInt8]) {
    switch event {
    case .text(let payload): FrameEncoder.append(.text, payload: payload, maskedBy: key, to: &bytes)
    case .binary(let payload): FrameEncoder.append(.binary, payload: payload, maskedBy: key, to: &bytes)
    case .ping(let payload): FrameEncoder.append(.ping, payload: payload, maskedBy: key, to: &bytes)
    case .pong(let payload): FrameEncoder.append(.pong, payload: payload, maskedBy: key, to: &bytes)
    case .close(nil, _): FrameEncoder.append(.close, payload: [UInt8](), maskedBy: key, to: &bytes)
    case .close(let code?, let reason):
        bytes += FrameEncoder.close(code, reason: String(decoding: reason, as: UTF8.self), maskedBy: key)
    }
}
