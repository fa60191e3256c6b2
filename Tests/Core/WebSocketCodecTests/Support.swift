import TestSupport
import WebSocketCodec

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// Everything a receiver returned.
struct Received: Equatable {
    var events: [WebSocketEvent] = []
    var violation: ProtocolViolation?
}

extension WebSocketReceiver {
    mutating func feed(_ bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBytes { feed($0) }
    }

    /// Pulls messages until nothing is left.
    mutating func drain(into received: inout Received) {
        do throws(ProtocolViolation) {
            while let event = try next() { received.events.append(event) }
        } catch {
            received.violation = error
        }
    }
}

/// Feeds `bytes` in pieces that end at `cuts`, and pulls after each.
func receive(
    _ bytes: [UInt8], as role: Role = .server, limits: WebSocketLimits = WebSocketLimits(), cutAt cuts: [Int] = []
) -> Received {
    var receiver = WebSocketReceiver(role: role, limits: limits)
    var received = Received()
    var start = 0
    for end in cuts.sorted() + [bytes.count] {
        receiver.feed(bytes[start..<end])
        receiver.drain(into: &received)
        start = end
    }
    return received
}

let key = MaskingKey(0x37, 0xFA, 0x21, 0x3D)

/// Returns a frame as a client sends it.
func masked(_ opcode: Opcode, isFinal: Bool = true, _ payload: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameEncoder.append(opcode, isFinal: isFinal, payload: payload, maskedBy: key, to: &bytes)
    return bytes
}

func masked(_ opcode: Opcode, isFinal: Bool = true, _ text: String) -> [UInt8] {
    masked(opcode, isFinal: isFinal, Array(text.utf8))
}

/// Returns a frame as a server sends it.
func unmasked(_ opcode: Opcode, isFinal: Bool = true, _ payload: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameEncoder.append(opcode, isFinal: isFinal, payload: payload, to: &bytes)
    return bytes
}

func text(_ text: String) -> WebSocketEvent {
    .text(Array(text.utf8))
}
