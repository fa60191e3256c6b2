import Dispatch
import EventLoops
import Glibc
import HTTPCodec
import HTTPTypes
import Synchronization
import WebSocketCodec
import WireProtocol

@testable import BelfryClient

/// A minimal server that accepts connections, upgrades them, passes every command to the test's script and performs the
/// actions it returns.
///
/// All state is touched on the loop only.
final class TestServer: ReadinessHandler, @unchecked Sendable {
    enum Act: Sendable {
        /// Send one text frame with these envelopes.
        case send([ServerEnvelope])
        case close(UInt16)
        /// Close the connection without a close frame.
        case cut
    }

    /// - Parameters:
    ///   - connection: 0 for the first client, and so on.
    typealias Script = @Sendable (_ connection: Int, ClientEnvelope) -> [Act]

    let loop: EventLoop
    let port: UInt16
    private let listener: FileDescriptor
    private let script: Script
    private var registration: Registration?
    private var peers: [Peer] = []

    init(_ script: @escaping Script) throws {
        loop = try EventLoop(label: "test-server", index: 0, tick: .milliseconds(10))
        listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 64, reusePort: false)
        port = Sockets.localAddress(of: listener.rawValue)?.port ?? 0
        self.script = script
        loop.post {
            self.registration = try? self.loop.add(self.listener.rawValue, interest: [.readable], handler: self)
        }
    }

    var url: String { "ws://127.0.0.1:\(port)/connection/websocket" }

    /// Performs actions on one client from outside the script.
    func act(_ acts: [Act], on connection: Int) {
        loop.post { if self.peers.indices.contains(connection) { self.peers[connection].perform(acts) } }
    }

    func stop() {
        loop.post {
            for peer in self.peers { peer.cut() }
            if let registration = self.registration { self.loop.remove(registration) }
            self.loop.shutdown {}
        }
    }

    func ready(_ readiness: Readiness) {
        while case .connection(let socket, _) = Sockets.accept(on: listener.rawValue) {
            let peer = Peer(socket, number: peers.count, self)
            peers.append(peer)
            peer.registration = try? loop.add(peer.descriptor, interest: [.readable], handler: peer)
        }
    }

    /// Confined to the server's loop.
    final class Peer: ReadinessHandler {
        let descriptor: Int32
        private let number: Int
        private unowned let server: TestServer
        fileprivate var registration: Registration?
        private var decoder = RequestDecoder()
        private var receiver: WebSocketReceiver?
        fileprivate var outbox = ByteOutbox()

        init(_ socket: consuming FileDescriptor, number: Int, _ server: TestServer) {
            descriptor = socket.release()
            self.number = number
            self.server = server
        }

        func ready(_ readiness: Readiness) {
            if readiness.contains(.writable) { flush() }
            guard readiness.contains(.readable) || readiness.contains(.hangup) else { return }
            var buffer: [UInt8] = Array(repeating: 0, count: 65_536)
            let result = buffer.withUnsafeMutableBytes { Sockets.read(descriptor, into: $0) }
            guard case .bytes(let count) = result else {
                if result != .wouldBlock { cut() }
                return
            }
            buffer[..<count].withUnsafeBytes { take($0) }
        }

        private func take(_ bytes: UnsafeRawBufferPointer) {
            guard receiver == nil else {
                receiver?.feed(bytes)
                return pull()
            }
            decoder.feed(bytes)
            guard case .head(let head) = try? decoder.next(),
                case .accepted(let response, _) = ServerHandshake.respond(to: head.request)
            else { return cut() }
            var answer: [UInt8] = []
            ResponseEncoder.append(response, body: [], closes: false, to: &answer)
            write(answer)
            receiver = WebSocketReceiver(role: .server)
            decoder.removeUnconsumed().withUnsafeBytes { receiver?.feed($0) }
            pull()
        }

        private func pull() {
            while registration != nil, let event = try? receiver?.next() {
                guard case .text(let text) = event, let envelopes = try? Array(CommandFrame(text)) else {
                    return cut()
                }
                for envelope in envelopes { perform(server.script(number, envelope)) }
            }
        }

        func perform(_ acts: [Act]) {
            for act in acts {
                switch act {
                case .send(let envelopes):
                    let lines = envelopes.map { $0.encoded(as: .json) }
                    write(FrameEncoder.text(Array(lines.joined(separator: [UInt8(ascii: "\n")]))))
                case .close(let code):
                    write(FrameEncoder.close(CloseCode(rawValue: code)))
                    Sockets.shutdownWrite(descriptor)
                case .cut: cut()
                }
            }
        }

        private func write(_ bytes: [UInt8]) {
            outbox.append(bytes[...])
            flush()
        }

        private func flush() {
            outbox.drain { bytes in
                guard case .bytes(let count) = Sockets.write(descriptor, bytes) else { return nil }
                return count
            }
            guard let registration else { return }
            server.loop.setInterest(outbox.isEmpty ? [.readable] : [.readable, .writable], for: registration)
        }

        func cut() {
            guard let registration else { return }
            server.loop.remove(registration)
            self.registration = nil
            FileDescriptor(owning: descriptor).close()
        }
    }
}

// MARK: - What a server says

func accepted(
    _ envelope: ClientEnvelope, _ subs: [(name: String, result: SubscribeResult)] = [], ping: UInt64 = 25,
    ttl: UInt64? = nil
) -> ServerEnvelope {
    ServerEnvelope.connected(
        id: envelope.id,
        ConnectResult(
            client: "c", version: "1", session: "s", node: "n", ttl: ttl, pingSeconds: ping,
            data: bytes(#"{"user":{"id":"ann","nickname":"Ann","is_active":true}}"#), subs: subs))
}

func event(_ room: String, _ offset: UInt64) -> ServerEnvelope {
    let data = bytes(#"{"type":"member.left","at":\#(offset),"by":"ann"}"#)
    return ServerEnvelope.publication(room: room, Publication(offset: offset, data: data))
}
