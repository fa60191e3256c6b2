import Belfry
import Dispatch
import EventLoops
import Foundation
import Glibc
import HTTPCodec
import HTTPTypes
import Logging
import Testing
import WebSocketCodec
import WireProtocol

/// A real server on a free port, with its own keys and folder.
final class TestServer: Sendable {
    static let secret = "a secret that only the integration tests know"
    static let apiKey = "the key of the tests"

    let server: Server
    let folder: String

    init(
        loops: Int = 2, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ change: (inout Belfry.Configuration) -> Void = { _ in }
    ) async throws {
        folder = NSTemporaryDirectory() + "belfry-test-" + UUID().uuidString
        var configuration = Belfry.Configuration(tokenSecret: Self.secret, apiKey: Self.apiKey)
        configuration.port = 0
        configuration.dataFolder = folder
        configuration.loopCount = loops
        // Other tests occupy the processors for seconds, so no server deadline may end a test.
        configuration.limits.connection.session.connectMilliseconds = 300_000
        configuration.limits.connection.session.pingMilliseconds = 300_000
        configuration.limits.connection.requestMilliseconds = 300_000
        configuration.limits.connection.lingerMilliseconds = 60_000
        configuration.limits.connection.outbox.stalledMilliseconds = 300_000
        // Tests request metrics repeatedly.
        configuration.limits.connection.strangers.requests = .init(perSecond: 1_000_000, burst: 1_000_000)
        configuration.limits.drainMilliseconds = 100
        change(&configuration)
        server = try await Server(configuration, logger: logger)
        server.start()
    }

    var port: UInt16 { server.address.port }

    func stop() async {
        await server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func token(_ user: String) async throws -> String {
        try Secrets(environment: ["BELFRY_TOKEN_SECRET": Self.secret], developmentFolder: nil)
            .token(for: user, lifetimeSeconds: 3_600)
    }

    /// Returns a connected client that receives its user's rooms.
    func connect(_ user: String, connect: [String: any Sendable] = [:]) async throws -> ChatPeer {
        let peer = try await ChatPeer(port: port)
        var command = connect
        command["token"] = try await token(user)
        _ = try await peer.command("connect", command)
        return peer
    }

    func http(_ method: String, _ body: String, _ fields: HTTPFields) async throws -> (status: Int, body: JSON) {
        let head = "POST /v1/\(method) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n"
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let (status, bytes) = try await exchange(head + lines + "\r\n" + body)
        return (status, try JSON(bytes))
    }

    /// Returns the value of a metric with exactly these labels.
    func metric(_ name: String) async throws -> Int? {
        let (_, bytes) = try await exchange("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    private func exchange(_ request: String) async throws -> (status: Int, body: [UInt8]) {
        let peer = try Peer(port: port)
        try peer.write(Array(request.utf8))
        var decoder = ResponseDecoder()
        var status = 0
        var bytes: [UInt8] = []
        while true {
            while let part = try decoder.next() {
                switch part {
                case .head(let response, _): status = response.status.code
                case .body(let chunk): bytes += chunk
                case .end: return (status, bytes)
                }
            }
            let read = try await peer.read()
            read.withUnsafeBytes { decoder.feed($0) }
        }
    }
}

/// A blocking socket with a deadline: an independent peer that shares no code with the server.
final class Peer {
    struct Silence: Error {}
    struct Closed: Error {}

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "peer")

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Closed() }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Fixes the receive window, so that the server's writes soon block; otherwise the kernel would let it grow to
    /// megabytes.
    func shrinkReceiveBuffer() {
        var size: Int32 = 65_536
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Half-closes the connection, which can still be read.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads on a separate thread, because the server under test shares the tests' thread pool.
    func read() async throws -> [UInt8] {
        let descriptor = descriptor
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                if count > 0 {
                    continuation.resume(returning: Array(buffer[..<count]))
                } else {
                    continuation.resume(throwing: count < 0 && errno == EAGAIN ? Silence() as any Error : Closed())
                }
            }
        }
    }
}

/// A chat client on a blocking socket that sends commands and receives frames in order.
final class ChatPeer {
    enum Heard: Equatable {
        case envelope(JSON)
        case closed(Int)
    }

    let peer: Peer
    private var receiver = WebSocketReceiver(
        role: .client, limits: WebSocketLimits(messageBytes: 16_777_216, frameBytes: 16_777_216))
    private var lastID = 0
    /// Pushes received while waiting for a reply, in order.
    private(set) var pushes: [JSON] = []

    init(port: UInt16) async throws {
        peer = try Peer(port: port)
        let handshake = try ClientHandshake(
            host: "127.0.0.1", port: port, path: "/connection/websocket", nonce: Array(0..<16))
        try peer.write(handshake.bytes)
        var decoder = ResponseDecoder()
        while true {
            if case .head(let response, _) = try decoder.next() {
                try handshake.verify(response)
                break
            }
            let read = try await peer.read()
            read.withUnsafeBytes { decoder.feed($0) }
        }
        let rest = decoder.removeUnconsumed()
        rest.withUnsafeBytes { receiver.feed($0) }
    }

    func send(_ text: String) throws {
        var frame: [UInt8] = []
        FrameEncoder.append(.text, payload: text.utf8, maskedBy: MaskingKey(1, 2, 3, 4), to: &frame)
        try peer.write(frame)
    }

    func hear() async throws -> Heard {
        while true {
            switch try receiver.next() {
            case .text(let text): return .envelope(try JSON(text))
            case .close(let code, _): return .closed(Int(code?.rawValue ?? 1005))
            case .binary, .ping, .pong: continue
            case nil: break
            }
            let read = try await peer.read()
            read.withUnsafeBytes { receiver.feed($0) }
        }
    }

    /// Sends a command and waits for its reply; keeps pushes that arrive first.
    func command(_ name: String, _ body: [String: any Sendable]) async throws -> JSON {
        lastID += 1
        let data = try JSONSerialization.data(withJSONObject: ["id": lastID, name: body])
        try send(String(decoding: data, as: UTF8.self))
        while true {
            guard case .envelope(let envelope) = try await hear() else { throw Peer.Closed() }
            if envelope["id"]?.int == lastID { return envelope }
            if envelope["push"] != nil { pushes.append(envelope) }
        }
    }

    @discardableResult
    func rpc(_ method: String, _ data: [String: any Sendable]) async throws -> JSON {
        try await command("rpc", ["method": method, "data": data])
    }

    /// Returns every push so far. A ping's reply follows everything written before it.
    func pushesUntilNow() async throws -> [JSON] {
        _ = try await command("ping", [:])
        defer { pushes = [] }
        return pushes
    }
}
