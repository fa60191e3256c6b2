import ChatModel
import EventLoops
import Gateway
import WebSocketCodec

/// A bare WebSocket echo on the same stack, for conformance suites (`--echo`).
///
/// Confined to its connection's loop.
final class EchoHandler: ConnectionHandler {
    private unowned let connection: ServerConnection
    private var receiver: WebSocketReceiver
    /// Compresses every echo when the extension was negotiated.
    private let deflater: Deflater?

    init(_ connection: ServerConnection, deflate: DeflateParameters?) {
        self.connection = connection
        let limits = connection.server.limits.echo
        receiver = WebSocketReceiver(role: .server, limits: limits, deflate: deflate)
        deflater = deflate?.serverDeflater()
        // Room for one echo being sent and another waiting.
        connection.raiseOutboxLimit(toBytes: 2 * limits.messageBytes + 1_024)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        receiver.feed(bytes)
        resume()
    }

    func resume() {
        do throws(ProtocolViolation) {
            while connection.isOpen, let event = try receiver.next() { handle(event) }
        } catch {
            connection.finish(FrameEncoder.close(error.closeCode, reason: error.description))
        }
    }

    private func handle(_ event: WebSocketEvent) {
        var frame: [UInt8] = []
        switch event {
        case .text(let payload): append(.text, payload, to: &frame)
        case .binary(let payload): append(.binary, payload, to: &frame)
        case .ping(let payload): FrameEncoder.append(.pong, payload: payload, to: &frame)
        case .pong: return
        case .close(let code, let reason):
            return connection.finish(
                FrameEncoder.close(code ?? .normal, reason: String(decoding: reason, as: UTF8.self)))
        }
        connection.write(frame)
    }

    private func append(_ opcode: Opcode, _ message: [UInt8], to frame: inout [UInt8]) {
        if let payload = deflater?.deflate(message) {
            FrameEncoder.append(opcode, isCompressed: true, payload: payload, to: &frame)
        } else {
            FrameEncoder.append(opcode, payload: message, to: &frame)
        }
    }

    func answered(_ command: UInt32, _ answer: Answer) {}
    var nextDeadline: Int64? { nil }
    var user: UserID? { nil }
    /// Zero, because echo messages may be large and the echo only serves tests.
    var heldBytes: Int { 0 }
    var holder: HeldBytes.Holder? { nil }
    func tick(now: Int64) {}
    func drain() { connection.finish(FrameEncoder.close(.goingAway, reason: "shutdown")) }
    func closeSlowConsumer() { connection.finish(FrameEncoder.close(.policyViolation, reason: "slow")) }
}
