import HTTPTypes
import Testing
import WebSocketCodec

/// RFC 7692 §7.1 and RFC 6455 §9.1.
@Suite struct DeflateOfferTests {
    private static let chat = DeflatePolicy.shared(windowBits: 12)

    /// Returns the response to the field's lines: empty if all offers are declined, nil if the field is malformed.
    private func answer(_ lines: String..., by policy: DeflatePolicy = .everything) -> String? {
        guard let extensions = WebSocketExtension.list(lines) else { return nil }
        return policy.negotiate(extensions)?.text ?? ""
    }

    @Test(
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; server_no_context_takeover", "permessage-deflate; server_no_context_takeover"),
            ("permessage-deflate; client_no_context_takeover", "permessage-deflate; client_no_context_takeover"),
            ("permessage-deflate; server_max_window_bits=9", "permessage-deflate; server_max_window_bits=9"),
            ("permessage-deflate; server_max_window_bits=15", "permessage-deflate; server_max_window_bits=15"),
            ("permessage-deflate; server_max_window_bits=\"10\"", "permessage-deflate; server_max_window_bits=10"),
            ("permessage-deflate; server_max_window_bits=\"1\\1\"", "permessage-deflate; server_max_window_bits=11"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=8", "permessage-deflate; client_max_window_bits=8"),
            (" permessage-deflate ;\tclient_max_window_bits = 11 ", "permessage-deflate; client_max_window_bits=11"),
        ])
    func `parameters that zlib supports are accepted`(offer: String, expected: String) {
        #expect(answer(offer) == expected)
    }

    @Test(
        arguments: [
            "server_max_window_bits", "server_max_window_bits=0", "server_max_window_bits=7",
            "server_max_window_bits=8", "server_max_window_bits=16", "server_max_window_bits=999",
            "server_max_window_bits=99999999999999999999", "server_max_window_bits=09", "server_max_window_bits=010",
            "server_max_window_bits=-9", "server_max_window_bits=+9", "server_max_window_bits=9.0",
            "server_max_window_bits=x", "server_max_window_bits=0x9", "server_max_window_bits=\"16\"",
            "client_max_window_bits=0", "client_max_window_bits=7", "client_max_window_bits=16",
            "client_max_window_bits=08", "server_no_context_takeover=1", "client_no_context_takeover=true",
            "client_no_context_takeover; client_no_context_takeover",
            "server_no_context_takeover; server_no_context_takeover",
            "server_max_window_bits=10; server_max_window_bits=10",
            "client_max_window_bits; client_max_window_bits=10", "unknown", "unknown=1", "Server_No_Context_Takeover",
        ])
    func `an invalid offer is declined and the next one accepted`(parameters: String) {
        let bad = "permessage-deflate; " + parameters
        #expect(answer(bad) == "")
        #expect(answer(bad + ", permessage-deflate") == "permessage-deflate")
        #expect(answer(bad, "permessage-deflate; server_max_window_bits=9").map { $0.hasSuffix("=9") } == true)
    }

    @Test(
        arguments: [
            "permessage-deflate; server_max_window_bits=", "permessage-deflate;", "permessage-deflate; ;", ";",
            "permessage-deflate; =9", "permessage-deflate; server_max_window_bits=\"\"", "\"permessage-deflate\"",
            "permessage-deflate; server_max_window_bits=\"9", "permessage-deflate; a=\"9 9\"", "permessage deflate",
            "permessage-deflate; server_max_window_bits=9 9", "permessage-deflate; a=b=c", "permessage/deflate",
            "permessage-deflate; a=\"\\", "p\u{E9}rmessage", "permessage-deflate; a=\"b\"c", "x, permessage-deflate;",
        ])
    func `a field that violates the grammar is refused`(value: String) {
        #expect(answer(value) == nil)
        #expect(answer("permessage-deflate", value) == nil, "nor is it beside one that does")
    }

    @Test func `unsupported offers are declined silently`() {
        #expect(answer() == "")
        #expect(answer("") == "")
        #expect(answer(" , ,") == "")
        #expect(answer("x-webkit-deflate-frame, permessage-bzip2; a=b; c=\"d\"") == "")
        #expect(answer(", permessage-deflate,", "") == "permessage-deflate")
    }

    @Test func `the first acceptable offer wins, across all header lines`() {
        #expect(
            answer("permessage-deflate; server_max_window_bits=9, permessage-deflate")
                == "permessage-deflate; server_max_window_bits=9")
        #expect(
            answer(
                "other", "permessage-deflate; server_max_window_bits=8, x", "permessage-deflate; nonsense, y",
                "permessage-deflate; client_no_context_takeover, permessage-deflate")
                == "permessage-deflate; client_no_context_takeover")
    }

    @Test func `frame sharing negotiates no context takeover and one window size`() {
        let base = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        #expect(answer("permessage-deflate", by: Self.chat) == base)
        #expect(answer("permessage-deflate; client_max_window_bits", by: Self.chat) == base)
        for bits in 12...15 {
            #expect(
                answer("permessage-deflate; server_max_window_bits=\(bits)", by: Self.chat)
                    == base + "; server_max_window_bits=12")
        }
        for bits in 8...11 {
            #expect(answer("permessage-deflate; server_max_window_bits=\(bits)", by: Self.chat) == "")
        }
        #expect(
            answer("permessage-deflate; server_max_window_bits=12; client_max_window_bits=12", by: Self.chat)
                == base + "; server_max_window_bits=12; client_max_window_bits=12")
    }

    // MARK: The handshake

    private func respond(_ offers: [String], _ policy: DeflatePolicy?) -> ServerHandshake.Outcome {
        var request = HTTPRequest(
            method: .get, scheme: nil, authority: "server.example.com", path: "/",
            headerFields: [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
                .secWebSocketVersion: "13",
            ])
        request.headerFields[values: .secWebSocketExtensions] = offers
        return ServerHandshake.respond(to: request, deflate: policy)
    }

    @Test func `the response names the extension exactly when it was negotiated`() {
        guard
            case .accepted(let response, let deflate?) = respond(
                ["permessage-deflate; nonsense", "permessage-deflate; client_max_window_bits=10"], .everything)
        else {
            Issue.record("refused or declined")
            return
        }
        #expect(response.headerFields[values: .secWebSocketExtensions] == [deflate.text])
        #expect(deflate == DeflateParameters(clientMaxWindowBits: 10))
        for (offers, policy) in [
            (["permessage-deflate"], nil), ([], .everything), (["permessage-deflate; nonsense"], .everything),
        ] as [([String], DeflatePolicy?)] {
            guard case .accepted(let response, nil) = respond(offers, policy) else {
                Issue.record("refused or agreed to")
                continue
            }
            #expect(response.headerFields[.secWebSocketExtensions] == nil)
        }
    }

    @Test func `a malformed field fails the handshake, with compression and without`() {
        for policy in [nil, DeflatePolicy.everything] {
            guard case .refused(let response, let reason) = respond(["permessage-deflate; a="], policy) else {
                Issue.record("accepted")
                continue
            }
            #expect(response.status == .badRequest && !reason.isEmpty)
        }
    }
}
