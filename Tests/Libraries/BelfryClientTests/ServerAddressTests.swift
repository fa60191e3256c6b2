import Testing

@testable import BelfryClient

struct ServerAddressTests {
    @Test(
        arguments: [
            ("ws://127.0.0.1:8080/connection/websocket", "127.0.0.1", 8080, "/connection/websocket"),
            (
                "WS://chat.example.org/connection/websocket?a=%20b", "chat.example.org", 80,
                "/connection/websocket?a=%20b"
            ),
            ("ws://[::1]:9000", "::1", 9000, "/"),
        ] as [(String, String, UInt16, String)])
    func `a URL gives host, port and path`(url: String, host: String, port: UInt16, path: String) throws {
        let address = try ServerAddress(url: url)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.path == path)
    }

    @Test func `an IPv6 address is bracketed in the Host field`() throws {
        #expect(try ServerAddress(url: "ws://[::1]:9000/x").authorityHost == "[::1]")
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "http://localhost/", "ws://", "ws:///path", "ws://host:0/", "ws://host:65536/",
        "ws://user:secret@host/", "ws://host/#part",
    ])
    func `a URL that is not a WebSocket URL is refused`(url: String) {
        #expect(throws: BelfryError.self) { try ServerAddress(url: url) }
    }

    @Test(arguments: [("wss://chat.example.org/", 443), ("wss://chat.example.org:8443/", 8443)])
    func `wss is supported, with its own default port`(url: String, port: UInt16) throws {
        let address = try ServerAddress(url: url)
        #expect(address.isSecure && address.port == port)
        #expect(try !ServerAddress(url: "ws://chat.example.org/").isSecure)
    }
}
