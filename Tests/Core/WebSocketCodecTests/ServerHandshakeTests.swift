import HTTPTypes
import TestSupport
import Testing
import WebSocketCodec

@Suite struct ServerHandshakeTests {
    private func request(_ change: (inout HTTPRequest) -> Void = { _ in }) -> HTTPRequest {
        var request = HTTPRequest(
            method: .get, scheme: nil, authority: "server.example.com", path: "/connection/websocket",
            headerFields: [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
                .secWebSocketVersion: "13", .origin: "http://example.com", .secWebSocketProtocol: "chat, superchat",
                .secWebSocketExtensions: "permessage-deflate; client_max_window_bits",
            ])
        change(&request)
        return request
    }

    /// Returns the status of a refusal, or 101.
    private func status(_ change: (inout HTTPRequest) -> Void) -> Int {
        switch ServerHandshake.respond(to: request(change)) {
        case .accepted(let response, _): response.status.code
        case .refused(let response, let reason): reason.isEmpty ? 0 : response.status.code
        }
    }

    @Test func `the RFC example is accepted, and its offers declined silently`() {
        let expected = HTTPResponse(
            status: .switchingProtocols,
            headerFields: [
                .upgrade: "websocket", .connection: "Upgrade",
                .secWebSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ])
        #expect(ServerHandshake.respond(to: request()) == .accepted(expected))
    }

    /// Returns the chosen subprotocol; nil for none, `refused` for no handshake.
    private func choice(_ offers: [String], among spoken: [String] = ["superchat", "v2.json"]) -> String? {
        let request = request { request in
            request.headerFields[values: .secWebSocketProtocol] = offers
        }
        guard case .accepted(let response, _) = ServerHandshake.respond(to: request, subprotocols: spoken) else {
            return "refused"
        }
        return response.headerFields[.secWebSocketProtocol]
    }

    @Test func `the client's first choice among the supported subprotocols is selected`() {
        #expect(choice(["chat, superchat"]) == "superchat")
        #expect(choice(["v2.json, superchat"]) == "v2.json")
        #expect(choice(["chat", "v2.json", "superchat"]) == "v2.json")
        #expect(choice(["chat"]) == nil)
        #expect(choice(["SuperChat"]) == nil)
        #expect(choice([]) == nil)
        #expect(choice(["superchat"], among: []) == nil)
    }

    @Test(
        arguments: [
            ["chat chat"], ["chat;q=1"], ["chat, chat"], ["chat", "superchat, chat"], ["\"chat\""], ["ch@t"], ["a/b"],
        ]) func `a list with invalid or duplicate subprotocols is refused`(_ offers: [String])
    {
        #expect(choice(offers) == "refused")
    }

    /// Each case has its own seed, which a failure names.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `an upgrade with corrupted fields is answered, and accepted only with one 16-byte key`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names: [HTTPField.Name] = [
            .upgrade, .connection, .secWebSocketKey, .secWebSocketVersion, .secWebSocketExtensions, .contentLength,
            .transferEncoding, .origin, .secWebSocketProtocol,
        ]
        let values = [
            "websocket", "Upgrade", "13", "8", "", ",", ";", ", ,", "dGhlIHNhbXBsZSBub25jZQ==",
            "dGhlIHNhbXBsZSBub25jZR==",
            "AAAA", "====", "0", "+0", "chunked", "permessage-deflate; server_max_window_bits=15",
            "permessage-deflate;=;=",
            "permessage-deflate; client_max_window_bits=\"9\", x", "keep-alive, upgrade", "\"", "\"\\", "a=\"\\",
        ]
        for _ in 0..<500 {
            let request = request { request in
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let (name, value) = (random.pick(names), random.pick(values))
                    if random.chance(percent: 50) { request.headerFields[name] = nil }
                    if random.chance(percent: 80) { request.headerFields.append(HTTPField(name: name, value: value)) }
                }
            }
            for policy in [
                nil, DeflatePolicy(serverWindowBits: 9...15, serverKeepsContext: true, clientKeepsContext: true),
            ] {
                guard case .accepted(let response, let deflate) = ServerHandshake.respond(to: request, deflate: policy)
                else { continue }
                #expect(response.status == .switchingProtocols && (policy != nil || deflate == nil), "seed \(seed)")
                #expect(request.headerFields[values: .secWebSocketKey].count == 1, "seed \(seed)")
            }
        }
    }

    @Test func `header lists and any letter case are accepted where the RFC allows them`() {
        #expect(status { $0.headerFields[.upgrade] = "h2c, WebSocket" } == 101)
        #expect(status { $0.headerFields[.connection] = "keep-alive, UPGRADE" } == 101)
        #expect(status { $0.headerFields[values: .connection] = ["keep-alive", "upgrade"] } == 101)
        #expect(status { $0.headerFields[.contentLength] = "0" } == 101)
    }

    @Test func `a request for a WebSocket version other than 13 gets the required one`() {
        #expect(status { $0.headerFields[.upgrade] = nil } == 426)
        #expect(status { $0.headerFields[.upgrade] = "websockets" } == 426)
        #expect(status { $0.headerFields[.upgrade] = "not websocket" } == 426)
        #expect(status { $0.headerFields[.connection] = "close" } == 426)
        for version in [nil, "12", "8", "013", "13, 8", "14", "+13"] {
            #expect(status { $0.headerFields[.secWebSocketVersion] = version } == 426)
        }
        #expect(status { $0.headerFields[values: .secWebSocketVersion] = ["13", "13"] } == 426)
        let outcome = ServerHandshake.respond(to: request { $0.headerFields[.secWebSocketVersion] = "8" })
        guard case .refused(let response, _) = outcome else {
            Issue.record("accepted version 8")
            return
        }
        #expect(response.headerFields[.secWebSocketVersion] == "13")
        #expect(response.headerFields[.upgrade] == "websocket")
    }

    @Test(
        arguments: [
            nil, "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR==",
            "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZSE=", "dGhlIHNhbXBsZSBub25jZSEh",
            "dGhlIHNhbXBsZS-ub25jZQ==", "dGhlIHNhbXBs\u{E9}SBub25jQ==", "dGhlIHNhbXBsZSBub25jZQ== x",
            "========================", "dGhlIHNh XBsZSBub25jZQ==",
        ])
    func `a key that is not base64 of 16 bytes is refused`(key: String?) {
        #expect(status { $0.headerFields[.secWebSocketKey] = key } == 400)
    }

    @Test func `anything but a single GET without a body is refused`() {
        #expect(status { $0.method = .post } == 405)
        #expect(status { $0.method = .head } == 405)
        #expect(status { $0.authority = nil } == 400)
        #expect(status { $0.authority = "" } == 400)
        #expect(status { $0.headerFields[.contentLength] = "1" } == 400)
        #expect(status { $0.headerFields[.transferEncoding] = "chunked" } == 400)
        #expect(
            status {
                let key = "dGhlIHNhbXBsZSBub25jZQ=="
                $0.headerFields[values: .secWebSocketKey] = [key, key]
            } == 400)
    }
}
