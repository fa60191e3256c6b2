import API
import ChatModel
import HTTPTypes
import Testing

@Suite struct HTTPRoutesTests {
    private func route(_ method: String, _ path: String?, servesEcho: Bool = false) throws -> HTTPRoute {
        let method = try #require(HTTPRequest.Method(method))
        return HTTPRoute(
            HTTPRequest(method: method, scheme: nil, authority: "chat", path: path), servesEcho: servesEcho)
    }

    @Test(
        arguments: [
            ("GET", "/connection/websocket", .webSocket), ("GET", "/connection/websocket?x=/v1/", .webSocket),
            ("POST", "/connection/websocket", .methodNotAllowed(allowed: "GET")),
            ("GET", "/livez", .live), ("HEAD", "/livez", .live), ("POST", "/livez", .methodNotAllowed(allowed: "GET")),
            ("GET", "/readyz", .ready), ("GET", "/metrics", .metrics),
            ("GET", "/openapi.json", .openAPI), ("GET", "/asyncapi.json", .asyncAPI),
            ("POST", "/openapi.json", .methodNotAllowed(allowed: "GET")),
            ("get", "/metrics", .methodNotAllowed(allowed: "GET")),
            ("POST", "/v1/message.send", .command("message.send")),
            ("POST", "/v1/message.send?a=1", .command("message.send")),
            ("GET", "/v1/message.send", .methodNotAllowed(allowed: "POST")),
            ("HEAD", "/v1/message.send", .methodNotAllowed(allowed: "POST")),
            ("OPTIONS", "/v1/message.send", .methodNotAllowed(allowed: "POST")),
            ("POST", "/v1/", .command("")), ("POST", "/v1/a/b", .command("a/b")), ("POST", "/v1", .notFound),
            // Nothing is decoded, folded or normalized.
            ("GET", "/connection/%77ebsocket", .notFound), ("GET", "//connection/websocket", .notFound),
            ("GET", "/connection//websocket", .notFound), ("GET", "/connection/websocket/", .notFound),
            ("GET", "/Connection/websocket", .notFound), ("GET", "/./livez", .notFound),
            ("GET", "/x/../livez", .notFound),
            ("GET", "/livez/", .notFound), ("GET", "/livez%3F", .notFound), ("GET", "/livez#x", .notFound),
            ("GET", "livez", .notFound), ("GET", "", .notFound), ("GET", "/", .notFound), ("GET", "?/livez", .notFound),
            ("GET", "*", .notFound), ("GET", "/livez;a", .notFound), ("POST", "//v1/message.send", .notFound),
            ("POST", "/v1%2Fmessage.send", .notFound), ("POST", "/V1/message.send", .notFound),
            ("POST", "/v1/message%2Esend", .command("message%2Esend")),
            ("POST", "/v1//message.send", .command("/message.send")),
            ("GET", "/echo", .notFound),
            ("POST", "/v1/files", .upload), ("POST", "/v1/files?channel_id=a&name=b", .upload),
            ("GET", "/v1/files", .methodNotAllowed(allowed: "POST")),
            ("GET", "/v1/files/0000000000000000000000000000000a/b.png", .file(FileID(high: 0, low: 10))),
            ("HEAD", "/v1/files/0000000000000000000000000000000a/../..", .file(FileID(high: 0, low: 10))),
            ("GET", "/v1/files/0000000000000000000000000000000a", .notFound),
            ("GET", "/v1/files/0000000000000000000000000000000A/b", .notFound),
            ("GET", "/v1/files/%2e%2e/b", .notFound), ("GET", "/v1/files//b", .notFound),
            (
                "POST", "/v1/files/0000000000000000000000000000000a/b.png", .methodNotAllowed(allowed: "GET")
            ),
        ] as [(String, String, HTTPRoute)])
    func `routes match the path byte by byte`(method: String, path: String, expected: HTTPRoute) throws {
        #expect(try route(method, path) == expected)
    }

    @Test func `the echo endpoint exists only if enabled, and an unknown path has no route`() throws {
        #expect(try route("GET", "/echo", servesEcho: true) == .echo)
        #expect(try route("POST", "/echo", servesEcho: true) == .methodNotAllowed(allowed: "GET"))
        #expect(try route("GET", nil) == .notFound)
    }

    // MARK: Credentials

    @Test(
        arguments: [
            ([], .none), ([("Authorization", "Bearer abc")], .token("abc")),
            ([("authorization", "bEaReR abc")], .token("abc")),
            ([("Authorization", "Bearer")], .unusable), ([("Authorization", "")], .unusable),
            ([("Authorization", "Basic abc")], .unusable), ([("Authorization", "Bearerabc")], .unusable),
            ([("Authorization", "Bearer\tabc")], .unusable), ([("X-API-Key", "k")], .apiKey("k")),
            ([("x-api-key", "")], .apiKey("")),
            ([("X-API-Key", "k"), ("X-API-Key", "k")], .unusable),
            ([("Authorization", "Bearer a"), ("Authorization", "Bearer a")], .unusable),
            ([("Authorization", "Bearer a"), ("X-API-Key", "k")], .unusable),
            ([("Authorization", "Basic a"), ("X-API-Key", "k")], .unusable),
        ] as [([(String, String)], Credentials)])
    func `exactly one kind of credentials is accepted; anything else is refused`(
        fields: [(String, String)], expected: Credentials
    ) throws {
        var all = HTTPFields()
        for (name, value) in fields { all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        #expect(Credentials(all) == expected)
    }

    @Test func `a token keeps everything after the scheme, for the verifier to reject`() {
        #expect(Credentials([.authorization: "Bearer a b"]) == .token("a b"))
        #expect(Credentials([.authorization: "Bearer  a"]) != .token("a"))
    }

    @Test(arguments: [
        ("0123456789abcdef", true), ("0123456789abcde", false), ("0123456789abcdefg", false),
        ("0123456789abcdeF", false), ("", false), ("0123456789abcdef ", false),
    ])
    func `an API key must match completely`(text: String, matches: Bool) {
        #expect(APIKey("0123456789abcdef").matches(text) == matches)
    }

    @Test func `API keys are compared byte by byte`() {
        #expect(!APIKey("jos\u{E9}jos\u{E9}jos\u{E9}jos\u{E9}").matches("jose\u{301}jose\u{301}jose\u{301}jose\u{301}"))
    }

    // MARK: Answers

    @Test(arguments: [
        (ErrorCode.notFound, 404), (.serverOnly, 403), (.tooManyRequests, 429), (.storageUnavailable, 503),
        (.badRequest, 400),
    ])
    func `an error has the matching HTTP status, and its code in the body`(code: ErrorCode, status: Int) {
        let answer = HTTPAnswer.rejected(Rejection(code, "x"))
        #expect(answer.response.status.code == status)
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(#"{"error":{"code":\#(code.rawValue),"#))
        #expect(answer.response.headerFields[.contentType] == "application/json")
        #expect(answer.response.headerFields[.cacheControl] == "no-store")
        #expect(answer.response.headerFields[.wwwAuthenticate] == nil)
    }

    @Test(arguments: [(nil, "1"), (1, "1"), (1_000, "1"), (1_001, "2"), (90_000, "90")] as [(Int64?, String)])
    func `a retryable error says when to retry, in whole seconds`(milliseconds: Int64?, field: String) {
        let answer = HTTPAnswer.rejected(Rejection(.tooManyRequests, retryAfterMilliseconds: milliseconds))
        #expect(answer.response.headerFields[.retryAfter] == field)
        #expect(HTTPAnswer.rejected(Rejection(.storageUnavailable)).response.headerFields[.retryAfter] == nil)
    }

    @Test(arguments: [ErrorCode.unauthorized, .tokenExpired])
    func `an unauthenticated request is asked for a token`(code: ErrorCode) {
        #expect(HTTPAnswer.rejected(Rejection(code)).response.headerFields[.wwwAuthenticate] == "Bearer")
    }
}
