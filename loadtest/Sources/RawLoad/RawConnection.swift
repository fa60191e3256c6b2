import CSockets
import Glibc

/// The reason why a raw load failed.
public struct RawLoadError: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// One connection to a server, handled on one thread without a client library.
final class RawConnection {
    enum Stage { case upgrading, greeting, ready }

    let descriptor: Int32
    private(set) var stage: Stage
    /// The reason for the loss of the connection, if it was lost.
    var loss: String?
    private let dialect: Dialect
    private let seat: Seat
    private let user: String
    private let server: String
    /// Receives the payload of each data frame, for a member without answers to its own commands.
    private let onPayload: (UnsafeRawBufferPointer) -> Void
    private var head: [UInt8] = []
    private var reader = FrameReader()
    private var answersDue: Int

    /// - Throws: `RawLoadError` when it cannot connect.
    init(
        dialect: Dialect, port: UInt16, seat: Seat, user: String, server: String,
        onPayload: @escaping (UnsafeRawBufferPointer) -> Void
    ) throws {
        (self.dialect, self.seat, self.user, self.server) = (dialect, seat, user, server)
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
        guard let path = dialect.path(of: seat) else {
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
            case 0x1, 0x2: try handle(payload, &pongs)
            case 0x9: pongs.append(ClientFrame.pong(Array(payload), mask: 0x5A17_33C6))
            case 0x8:
                throw RawLoadError("\(name) was disconnected: \(String(decoding: payload.dropFirst(2), as: UTF8.self))")
            default: break
            }
        }
        for pong in pongs { try write(pong) }
    }

    private func handle(_ payload: UnsafeRawBufferPointer, _ pongs: inout [[UInt8]]) throws {
        // In the Centrifuge protocol, ping and pong are both an empty command.
        if payload.count == 2, payload[0] == UInt8(ascii: "{") {
            return pongs.append(ClientFrame.text(Array("{}".utf8), mask: 0x5A17_33C6))
        }
        if answersDue > 0 {
            for line in payload.split(separator: UInt8(ascii: "\n")) where Self.isAnswer(line) { try count(line) }
            if answersDue == 0 { stage = .ready }
        }
        switch seat {
        case .publisher: break
        case .subscriber: onPayload(payload)
        case .member where !dialect.hasAnswers: onPayload(payload)
        case .member:
            // An answer may contain the text of the message that it acknowledges.
            for line in payload.split(separator: UInt8(ascii: "\n")) where !Self.isAnswer(line) {
                onPayload(UnsafeRawBufferPointer(rebasing: line))
            }
        }
    }

    private static let answerHead = Array(#"{"id":"#.utf8)

    private static func isAnswer(_ line: Slice<UnsafeRawBufferPointer>) -> Bool { line.starts(with: answerHead) }

    /// - Throws: `RawLoadError` for an answer that refuses what the greeting asked for.
    private func count(_ answer: Slice<UnsafeRawBufferPointer>) throws {
        answersDue -= 1
        let rest = answer.dropFirst(Self.answerHead.count).drop { (0x30...0x39).contains($0) }
        if rest.starts(with: Array(#","error""#.utf8)) {
            throw RawLoadError("\(name) was refused: \(String(decoding: answer.prefix(200), as: UTF8.self))")
        }
    }

    /// - Returns: The start of the frames; nil while the head is incomplete.
    private func finishUpgrade(with bytes: UnsafeRawBufferPointer) throws -> Int? {
        let before = head.count
        head += bytes
        let end = Array("\r\n\r\n".utf8)
        guard let position = head.indices.dropLast(3).first(where: { head[$0..<($0 + 4)].elementsEqual(end) }) else {
            guard head.count < 8_192 else { throw RawLoadError("the response head is too long") }
            return nil
        }
        guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
            throw RawLoadError("no upgrade: \(String(decoding: head.prefix(60), as: UTF8.self))")
        }
        return position + 4 - before
    }

    private func greet() throws {
        stage = .greeting
        for bytes in try dialect.greeting(of: seat, user: user) { try write(bytes) }
        if answersDue == 0 { stage = .ready }
    }
}
