import API
import Belfry
import ChatModel
import Foundation
import Glibc
import Logging
import Testing
import WebSocketCodec

/// A client on a blocking socket that gives up after a minute of silence.
private final class RawClient {
    private let socket: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        send(
            Array(
                """
                GET /connection/websocket HTTP/1.1\r\nHost: chat\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n
                """.utf8))
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func send(_ commands: String...) { send(Self.frame(commands.joined(separator: "\n"))) }

    static func frame(_ text: String) -> [UInt8] {
        var frame: [UInt8] = []
        FrameEncoder.append(
            .text, isFinal: true, payload: Array(text.utf8), maskedBy: MaskingKey(1, 2, 3, 4), to: &frame)
        return frame
    }

    /// Returns what has arrived, at most 64 KiB; waits until something has.
    func readOnce() -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Reads until the words occur `wanted` times or nothing more arrives, and returns how often they occur.
    func count(_ words: String, upTo wanted: Int) -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = String(decoding: received, as: UTF8.self).components(separatedBy: words).count - 1
            guard count < wanted else { return count }
            let read = recv(socket, &buffer, buffer.count, 0)
            guard read > 0 else { return count }
            received += buffer[..<read]
        }
    }
}

@Suite struct BurstTests {
    /// Runs a body with a client that is connected as ann and subscribed only to her inbox.
    private func withAnn(_ body: @escaping @Sendable (RawClient) throws -> Void) async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        var configuration = Configuration(tokenSecret: secret)
        configuration.port = 0
        configuration.loopCount = 1
        // Tokens are checked on threads that other tests keep busy.
        configuration.limits.connection.session.connectMilliseconds = 60_000
        configuration.limits.connection.session.commands.burst = 1_000_000
        configuration.limits.connection.commandsPerUser.burst = 1_000_000
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString)")
        configuration.dataFolder = folder.path
        defer { try? FileManager.default.removeItem(at: folder) }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try await Server(configuration, logger: logger)
        server.start()
        let verifier = TokenVerifier(
            secret: Array(secret.utf8), clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
        let user = try #require(UserID("ann"))
        let token = try verifier.issue(for: user, lifetimeSeconds: 60)
        let port = server.address.port
        // Avoid the threads of Swift's tasks: the client blocks, and the server checks tokens on them.
        let failure = await withCheckedContinuation { (done: CheckedContinuation<(any Error)?, Never>) in
            DispatchQueue.global().async {
                do {
                    let client = try RawClient(port: port)
                    client.send(#"{"id":1,"connect":{"token":"\#(token)","data":{"subscribe":"none"}}}"#)
                    #expect(client.count(#""connect":"#, upTo: 1) == 1)
                    try body(client)
                    done.resume(returning: nil)
                } catch {
                    done.resume(returning: error)
                }
            }
        }
        #expect(failure == nil)
        await server.stop()
    }

    /// Regression: each immediately refused command used some stack frames, so a burst of 64 KiB of commands crashed
    /// the process.
    @Test func `immediately refused commands in a burst are answered one by one`() async throws {
        try await withAnn { client in
            let frame = RawClient.frame(Array(repeating: #"{"id":9,"rpc":{}}"#, count: 128).joined(separator: "\n"))
            client.send(Array(repeatElement(frame, count: 56).joined()))
            #expect(client.count(#""code":104"#, upTo: 56 * 128) == 56 * 128)
        }
    }

    @Test func `105: a room subscribed to twice before the first reply is joined only once`() async throws {
        try await withAnn { client in
            client.send(#"{"id":2,"rpc":{"method":"channel.create","data":{"id":"general"}}}"#)
            #expect(client.count(#""created":true"#, upTo: 1) == 1)
            client.send(
                #"{"id":3,"subscribe":{"channel":"general"}}"#, #"{"id":4,"subscribe":{"channel":"general"}}"#,
                #"{"id":5,"rpc":{"method":"message.send","data":{"channel_id":"general","text":"x"}}}"#)
            #expect(client.count(#"{"id":5,"#, upTo: 1) == 1)
            #expect(client.count(#"{"id":3,"subscribe":"#, upTo: 1) == 1)
            #expect(client.count(#"{"id":4,"error":{"code":105"#, upTo: 1) == 1)
            #expect(client.count(#""message.new""#, upTo: 1) == 1)
        }
    }
    @Test func `an event and the answer to its command are written together`() async throws {
        try await withAnn { client in
            client.send(#"{"id":2,"rpc":{"method":"channel.create","data":{"id":"general"}}}"#)
            #expect(client.count(#""created":true"#, upTo: 1) == 1)
            client.send(#"{"id":3,"subscribe":{"channel":"general"}}"#)
            #expect(client.count(#"{"id":3,"subscribe":"#, upTo: 1) == 1)
            for id in 4...23 {
                let command = #"{"method":"message.send","data":{"channel_id":"general","text":"x"}}"#
                client.send(#"{"id":\#(id),"rpc":\#(command)}"#)
                let text = client.readOnce()
                #expect(text.contains(#""message.new""#) && text.contains(#"{"id":\#(id),"rpc""#))
            }
        }
    }
}
