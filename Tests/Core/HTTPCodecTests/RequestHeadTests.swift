import HTTPCodec
import HTTPTypes
import Testing

@Suite struct RequestHeadTests {
    private func head(_ text: String) throws -> RequestHead {
        let decoded = decode(text)
        #expect(decoded.violation == nil)
        return try #require(decoded.requests.first).head
    }

    @Test func `a head keeps its fields in order and uses Host as the authority`() throws {
        let head = try head(
            "GET /connection/websocket?a=%2F HTTP/1.1\r\nHost: Ann.example:8000\r\nX-One:  spaced out \t\r\n"
                + "x-two:\r\nX-One: again\r\nCookie: a=1; b=2\r\n\r\n")
        #expect(head.request.method == .get)
        #expect(head.request.authority == "Ann.example:8000")
        #expect(head.request.path == "/connection/websocket?a=%2F")
        #expect(
            head.request.headerFields.map(\.description)
                == ["X-One: spaced out", "x-two: ", "X-One: again", "Cookie: a=1; b=2"])
        #expect(head.framing == .none)
        #expect(head.keepAlive)
        #expect(!head.expectsContinue)
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\nHost: ann\r\n\r\n", .bareLineFeed), ("GET / HTTP/1.1\r\nHost: ann\n\r\n", .bareLineFeed),
            ("GET / HTTP/1.1\r\nHost: ann\r\n\n", .bareLineFeed), ("\n", .bareLineFeed),
            ("GET / HTTP/1.1\rHost: ann\r\n\r\n", .bareCarriageReturn), (get("A: b\rC: d"), .bareCarriageReturn),
            (get("A: b\r"), .bareCarriageReturn), (get("A\r: b"), .bareCarriageReturn),
            ("\r\n\r\nGET / HTTP/1.1\r\n", .invalidRequestLine), ("GET /\r\n\r\n", .invalidRequestLine),
            ("GET\r\n\r\n", .invalidRequestLine), ("GET  / HTTP/1.1\r\n\r\n", .invalidRequestLine),
            ("GET / HTTP/1.1 \r\n\r\n", .invalidRequestLine), ("GET / x HTTP/1.1\r\n\r\n", .invalidRequestLine),
            (" GET / HTTP/1.1\r\n\r\n", .invalidRequestLine), (" / HTTP/1.1\r\n\r\n", .invalidMethod),
            ("G\u{0}T / HTTP/1.1\r\n\r\n", .invalidMethod),
            ("G(T / HTTP/1.1\r\n\r\n", .invalidMethod), ("GÉT / HTTP/1.1\r\n\r\n", .invalidMethod),
            ("G\tT / HTTP/1.1\r\n\r\n", .invalidMethod), (":method / HTTP/1.1\r\n\r\n", .invalidMethod),
            ("GET / http/1.1\r\n\r\n", .invalidVersion), ("GET / HTTP/1.10\r\n\r\n", .invalidVersion),
            ("GET / HTTP/1\r\n\r\n", .invalidVersion), ("GET / HTTP/a.1\r\n\r\n", .invalidVersion),
            ("GET / HTTPS/1.1\r\n\r\n", .invalidVersion), ("GET / \r\n\r\n", .invalidVersion),
            ("GET / HTTP/1.0\r\n\r\n", .unsupportedVersion), ("GET / HTTP/1.2\r\n\r\n", .unsupportedVersion),
            ("GET / HTTP/0.9\r\n\r\n", .unsupportedVersion),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
            ("GET / HTTP/1.1\r\n Host: ann\r\n\r\n", .foldedLine), (get("A: b", " c"), .foldedLine),
            (get("A: b", "\tc: d"), .foldedLine), (get("A : b"), .whitespaceBeforeColon),
            (get("A\t: b"), .whitespaceBeforeColon), (get("A"), .invalidFieldName), (get(": b"), .invalidFieldName),
            (get(":path: b"), .invalidFieldName), (get("A b: c"), .invalidFieldName),
            (get("É: b"), .invalidFieldName), (get("A\u{0}: b"), .invalidFieldName),
            (get("A: b\u{0}c"), .invalidFieldValue), (get("A: \u{1}"), .invalidFieldValue),
            (get("A: \u{7F}"), .invalidFieldValue), (get("A: b\u{B}"), .invalidFieldValue),
            ("GET / HTTP/1.1\r\n\r\n", .missingHost), ("GET / HTTP/1.1\r\nHosts: a\r\n\r\n", .missingHost),
            (get("Host: ann"), .severalHosts), (get("hOST: bob"), .severalHosts),
            ("GET / HTTP/1.1\r\nHost: \r\n\r\n", .invalidHost), ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .invalidHost),
            ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", .invalidHost),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .invalidHost),
            ("GET http://bob/ HTTP/1.1\r\nHost: ann\r\n\r\n", .conflictingAuthority),
            ("GET http://ann:81/ HTTP/1.1\r\nHost: ann\r\n\r\n", .conflictingAuthority),
            (post("Content-Length: 5", "Transfer-Encoding: chunked"), .lengthWithTransferEncoding),
            (post("Transfer-Encoding: identity", "Content-Length: 0"), .lengthWithTransferEncoding),
            (post("Content-Length: 5", "Content-Length: 5"), .severalContentLengths),
            (post("Content-Length: 5", "content-length: 6"), .severalContentLengths),
            (post("Content-Length: +5"), .invalidContentLength), (post("Content-Length: -5"), .invalidContentLength),
            (post("Content-Length: 5,5"), .invalidContentLength), (post("Content-Length: 5 5"), .invalidContentLength),
            (post("Content-Length: 0x5"), .invalidContentLength), (post("Content-Length: a"), .invalidContentLength),
            (post("Content-Length:"), .invalidContentLength), (post("Content-Length: 5."), .invalidContentLength),
            (post("Content-Length: ５"), .invalidContentLength),
            (post("Content-Length: 9223372036854775808"), .invalidContentLength),
            (post("Content-Length: 18446744073709551621"), .invalidContentLength),
            (post("Content-Length: 1048577"), .bodyTooLarge(limit: 1_048_576)),
            (post("Content-Length: 9223372036854775807"), .bodyTooLarge(limit: 1_048_576)),
            (post("Transfer-Encoding: gzip"), .unsupportedTransferCoding),
            (post("Transfer-Encoding: identity"), .unsupportedTransferCoding),
            (post("Transfer-Encoding: gzip, chunked"), .unsupportedTransferCoding),
            (post("Transfer-Encoding: xchunked"), .unsupportedTransferCoding),
            (post("Transfer-Encoding: chunked;a=b"), .unsupportedTransferCoding),
            (post("Transfer-Encoding: \u{B}chunked"), .invalidFieldValue),
            (post("Transfer-Encoding: chunked, chunked"), .invalidTransferEncoding),
            (post("Transfer-Encoding: chunked, identity"), .invalidTransferEncoding),
            (post("Transfer-Encoding: ,chunked"), .invalidTransferEncoding),
            (post("Transfer-Encoding:"), .invalidTransferEncoding),
            (post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), .invalidTransferEncoding),
            (post("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), .invalidTransferEncoding),
            (get("Expect: 200-maybe"), .unsupportedExpectation),
        ] as [(String, HTTPViolation)])
    func `a malformed head is refused with the rule it breaks, however it is split`(
        text: String, violation: HTTPViolation
    ) {
        let bytes = Array(text.utf8)
        #expect(decode(bytes) == Decoded(violation: violation))
        #expect(decode(bytes, cutAt: Array(0...bytes.count)) == Decoded(violation: violation))
        #expect((400...505).contains(violation.status.code))
        #expect(!violation.description.isEmpty)
    }

    @Test func `each violation maps to its status code`() {
        #expect(HTTPViolation.requestLineTooLong(limit: 1).status == 414)
        #expect(HTTPViolation.headTooLarge(limit: 1).status == 431)
        #expect(HTTPViolation.tooManyFields(limit: 1).status == 431)
        #expect(HTTPViolation.bodyTooLarge(limit: 1).status == 413)
        #expect(HTTPViolation.unsupportedVersion.status == 505)
        #expect(HTTPViolation.unsupportedTransferCoding.status == 501)
        #expect(HTTPViolation.unsupportedExpectation.status == 417)
        #expect(HTTPViolation.missingHost.status == 400)
    }

    @Test func `a transfer coding is case-insensitive, and a length can have leading zeros`() throws {
        #expect(try head(post("transfer-encoding: CHUNKED")).framing == .chunked)
        #expect(try head(post("Content-Length: 5")).framing == .length(5))
        #expect(try head(post("Content-Length: 0005")).framing == .length(5))
        #expect(try head(post("Content-Length: 0")).framing == .none)
        #expect(try head(post("Content-Length: 1048576")).framing == .length(1_048_576))
    }

    @Test func `close is recognized in a list, and 100-continue only with a body`() throws {
        #expect(try head(get("Connection: keep-alive, Upgrade")).keepAlive)
        #expect(try !head(get("Connection: keep-alive", "Connection: x, CLOSE")).keepAlive)
        #expect(try head(get("Connection: closed")).keepAlive)
        #expect(try head(post("Expect: 100-Continue", "Content-Length: 1")).expectsContinue)
        #expect(try !head(get("Expect: 100-continue")).expectsContinue)
    }

    @Test(
        arguments: [
            "/connection/%77ebsocket", "//connection/websocket", "/connection//websocket", "/./connection/websocket",
            "/x/../connection/websocket", "/connection/websocket/", "/connection/websocket;a", "/Connection/websocket",
        ])
    func `a path is passed on unchanged, byte for byte`(path: String) throws {
        let head = try head("GET \(path) HTTP/1.1\r\nHost: ann\r\n\r\n")
        #expect(head.request.path == path)
        #expect(head.request.path != "/connection/websocket")
    }

    @Test func `the absolute form must match Host`() throws {
        for (target, host, path) in [
            ("http://ann/x?y", "ann", "/x?y"), ("HTTP://ANN", "ann", "/"), ("http://ann:80?q", "ANN:", "/?q"),
            ("https://ann:443/", "ann", "/"), ("http://[::1]:8000/", "[::1]:8000", "/"),
        ] {
            let head = try head("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(head.request.path == path)
            #expect(head.request.authority == host)
        }
    }

    @Test func `one empty line before a request is tolerated`() {
        #expect(decode("\r\n" + get()).requests.count == 1)
        #expect(decode("\r\n" + get() + "\r\n" + get()).requests.count == 2)
    }

    @Test func `a value can contain any byte of obs-text`() throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: ann\r\nX: ".utf8) + [0x80, 0xFF, 0xE9] + Array("\r\n\r\n".utf8)
        let field = try #require(decode(bytes).requests.first?.head.request.headerFields.first)
        field.withUnsafeBytesOfValue { #expect(Array($0) == [0x80, 0xFF, 0xE9]) }
    }
}
