import HTTPTypes
import Testing
import WebSocketCodec

@Suite struct ClientHandshakeTests {
    private let nonce = Array("the sample nonce".utf8)

    private func handshake(_ fields: HTTPFields = [:]) throws -> ClientHandshake {
        try ClientHandshake(
            host: "localhost", port: 8080, path: "/connection/websocket?a=1", nonce: nonce, headerFields: fields)
    }

    @Test func `the client and the server of this project agree`() throws {
        let handshake = try handshake()
        guard case .accepted(let response, _) = ServerHandshake.respond(to: handshake.request) else {
            Issue.record("refused")
            return
        }
        try handshake.verify(response)
    }

    @Test func `the request is a complete head`() throws {
        let text = String(decoding: try handshake([.origin: "http://localhost"]).bytes, as: UTF8.self)
        #expect(
            text == """
                GET /connection/websocket?a=1 HTTP/1.1\r
                Host: localhost:8080\r
                Origin: http://localhost\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r

                """)
    }

    @Test(arguments: [("", "/"), ("a b", "/"), ("a\r\nX: y", "/"), ("a", ""), ("a", "x"), ("a", "/ x"), ("a", "/\r\n")])
    func `a target that would break the request is refused`(host: String, path: String) {
        #expect(throws: HandshakeFailure.invalidTarget) {
            try ClientHandshake(host: host, path: path, nonce: nonce)
        }
    }

    @Test(arguments: [0, 15, 17])
    func `a nonce has 16 bytes`(count: Int) {
        #expect(throws: HandshakeFailure.invalidNonce(bytes: count)) {
            try ClientHandshake(host: "a", path: "/", nonce: [UInt8](repeating: 0, count: count))
        }
    }

    private func verdict(
        offering fields: HTTPFields = [:], _ change: (inout HTTPResponse) -> Void
    ) throws -> HandshakeFailure? {
        var response = HTTPResponse(
            status: .switchingProtocols,
            headerFields: [
                .upgrade: "WebSocket", .connection: "upgrade", .secWebSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ])
        change(&response)
        do throws(HandshakeFailure) {
            try handshakeOrStop(fields).verify(response)
            return nil
        } catch {
            return error
        }
    }

    private func handshakeOrStop(_ fields: HTTPFields) throws(HandshakeFailure) -> ClientHandshake {
        try ClientHandshake(host: "localhost", path: "/", nonce: nonce, headerFields: fields)
    }

    @Test func `each fault in a response has its own error`() throws {
        #expect(try verdict { _ in } == nil)
        #expect(try verdict { $0.status = .ok } == .refused(status: 200))
        #expect(try verdict { $0.headerFields[.upgrade] = nil } == .notUpgraded)
        #expect(try verdict { $0.headerFields[.connection] = "close" } == .notUpgraded)
        #expect(try verdict { $0.headerFields[.secWebSocketAccept] = nil } == .wrongAccept)
        #expect(try verdict { $0.headerFields[.secWebSocketAccept] = "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=" } == .wrongAccept)
        let deflate: HTTPFields = [.secWebSocketExtensions: "permessage-deflate; client_max_window_bits"]
        let accept = { (response: inout HTTPResponse) in
            response.headerFields[.secWebSocketExtensions] = "permessage-deflate"
        }
        #expect(try verdict(accept) == .unofferedExtension("permessage-deflate"))
        #expect(try verdict(offering: deflate, accept) == nil)
        let choose = { (response: inout HTTPResponse) in response.headerFields[.secWebSocketProtocol] = "v2" }
        #expect(try verdict(choose) == .unofferedSubprotocol("v2"))
        #expect(try verdict(offering: [.secWebSocketProtocol: "v1, v2"], choose) == nil)
    }
}
