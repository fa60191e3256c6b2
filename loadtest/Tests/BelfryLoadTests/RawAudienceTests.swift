import Testing

@testable import BelfryLoad

struct RawAudienceTests {
    @Test func `raw listening works with a local server without TLS`() throws {
        #expect(try RawAudience.port(in: "ws://127.0.0.1:8123/connection/websocket") == 8_123)
    }

    @Test(arguments: [
        "wss://127.0.0.1:8123/connection/websocket", "ws://chat.example.org:8123/connection/websocket",
        "ws://127.0.0.1:8123/other", "ws://127.0.0.1/connection/websocket", "ws://127.0.0.1:70000/connection/websocket",
        "",
    ])
    func `other servers are refused, without falling back to another way of listening`(url: String) {
        #expect(throws: LoadError.self) { try RawAudience.port(in: url) }
    }
}
