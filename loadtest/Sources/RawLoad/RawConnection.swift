import CSockets
import Glibc

/// The reason why a raw load failed.
public struct RawLoadError: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// One connection that subscribes or publishes, handled on one thread without a client library.
final class RawConnection {
    enum Stage { case upgrading, greeting, ready }

    let descriptor: Int32
    private(set) var stage: Stage
    /// The reason for the loss of the connection, if it was lost.
    var loss: String?
    private let dialect: Dialect
    private let publishes: Bool
    private let user: String
    private let server: String
    /// Receives the payload of each data frame.
    private let onPayload: (UnsafeRawBufferPointer) -> Void
    private var head: [UInt8] = []
    private var reader = FrameReader()
    private var answersDue: Int

    /// - Throws: `RawLoadError` when it cannot connect.
    init(
        dialect: Dialect, port: UInt16, publishes: Bool, user: String, server: String,
        onPayload: @escaping (UnsafeRawBufferPointer) -> Void
    ) throws {
        (self.dialect, self.publishes, self.user, self.server) = (dialect, publishes, user, server)
        self.onPayload = onPayload
        answersDue = dialect.answers
        stage = .upgrading
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw RawLoadError("socket: \(String(cString: strerror(errno)))") }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout.size(ofValue: one)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw RawLoadError("connect: \(String(cString: strerror(errno)))") }
        guard let path = dialect.path(publishes: publishes) else {
            try greet()
            return
        }
        let request =
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        try write(Array(request.utf8))
    }

    deinit { close(descriptor) }

    /// The name for errors.
    var name: String { "\(user) at \(server)" }

    /// Writes all bytes, blocking until they are sent; requests to the measured server are small.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw RawLoadError("send: \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        if stage == .upgrading {
            guard let start = try finishUpgrade(with: bytes) else { return }
            rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            try greet()
        }
        var pongs: [[UInt8]] = []
        try reader.read(rest) { opcode, payload in
            switch opcode {
            case 0x1, 0x2: handle(payload, &pongs)
            case 0x9: pongs.append(ClientFrame.pong(Array(payload), mask: 0x5A17_33C6))
            case 0x8:
                throw RawLoadError("\(name) was sent away: \(String(decoding: payload.dropFirst(2), as: UTF8.self))")
            default: break
            }
        }
        for pong in pongs { try write(pong) }
    }

    private func handle(_ payload: UnsafeRawBufferPointer, _ pongs: inout [[UInt8]]) {
        // In the Centrifuge protocol, ping and pong are both an empty command.
        if payload.count == 2, payload[0] == UInt8(ascii: "{") {
            return pongs.append(ClientFrame.text(Array("{}".utf8), mask: 0x5A17_33C6))
        }
        if answersDue > 0 {
            for line in payload.split(separator: UInt8(ascii: "\n")) where line.starts(with: Array(#"{"id":"#.utf8)) {
                answersDue -= 1
            }
            if answersDue == 0 { stage = .ready }
        }
        if !publishes { onPayload(payload) }
    }

    /// - Returns: The start of the frames; nil while the head is incomplete.
    private func finishUpgrade(with bytes: UnsafeRawBufferPointer) throws -> Int? {
        let before = head.count
        head += bytes
        let end = Array("\r\n\r\n".utf8)
        guard let position = head.indices.dropLast(3).first(where: { head[$0..<($0 + 4)].elementsEqual(end) }) else {
            guard head.count < 8_192 else { throw RawLoadError("no end of the response's head") }
            return nil
        }
        guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
            throw RawLoadError("no upgrade: \(String(decoding: head.prefix(60), as: UTF8.self))")
        }
        return position + 4 - before
    }

    private func greet() throws {
        stage = .greeting
        for bytes in try dialect.greeting(publishes: publishes, user: user) { try write(bytes) }
        if answersDue == 0 { stage = .ready }
    }
}
