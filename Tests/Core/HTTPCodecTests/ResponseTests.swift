import HTTPCodec
import HTTPTypes
import Testing

@Suite struct ResponseTests {
    private func encode(
        _ response: HTTPResponse, body: String = "", closes: Bool = false, includesBody: Bool = true
    ) -> String {
        var bytes: [UInt8] = []
        ResponseEncoder.append(
            response, body: Array(body.utf8), closes: closes, includesBody: includesBody, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a response has its fields, length and body`() {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
        #expect(
            encode(response, body: "hello")
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
        #expect(
            encode(response, body: "hello", closes: true, includesBody: false)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")
        #expect(encode(HTTPResponse(status: .init(code: 7))) == "HTTP/1.1 007 \r\n\r\n")
    }

    @Test(arguments: [100, 101, 103, 204, 304])
    func `a status without a body has neither body nor length`(code: Int) {
        #expect(encode(HTTPResponse(status: .init(code: code)), body: "x") == "HTTP/1.1 \(code) \r\n\r\n")
    }

    @Test func `a body of unknown length is chunked`() {
        var bytes: [UInt8] = []
        ResponseEncoder.append(HTTPResponse(status: .ok), body: [], closes: false, isChunked: true, to: &bytes)
        bytes += ResponseEncoder.chunk(Array("seventeen letters".utf8)) + ResponseEncoder.lastChunk
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11\r\nseventeen letters\r\n0\r\n\r\n")
        bytes = []
        ResponseEncoder.append(HTTPResponse(status: .noContent), body: [], closes: false, isChunked: true, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test func `only the encoder sets framing fields`() {
        let fields: HTTPFields = [.contentLength: "99", .transferEncoding: "chunked", .upgrade: "websocket"]
        #expect(
            encode(HTTPResponse(status: .upgradeRequired, headerFields: fields), body: "x", closes: true)
                == "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 1\r\n"
                + "Connection: close\r\n\r\nx"
        )
    }

    @Test func `no value or reason phrase can inject a line`() throws {
        let evil = "a\r\nSet-Cookie: b=c\r\n\r\n<html>\0"
        let name = try #require(HTTPField.Name("X-Evil"))
        for field in [
            HTTPField(name: name, value: evil), HTTPField(name: name, value: Array(evil.utf8)),
            HTTPField(name: name, lenientValue: Array(evil.utf8)),
        ] {
            var response = HTTPResponse(status: .init(code: 200, reasonPhrase: evil))
            response.headerFields.append(field)
            response.headerFields[name] = response.headerFields[name].map { $0 + evil }
            #expect(response.status.reasonPhrase.utf8.allSatisfy { $0 >= 0x20 })
            let text = encode(response)
            #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 4)
            #expect(text.utf8.count { $0 == UInt8(ascii: "\r") } == 4)
            #expect(!text.utf8.contains(0))
        }
        #expect(HTTPField.Name("X\r\nY") == nil)
    }

    /// Returns all parts of the responses in `bytes`, with bodies joined.
    private func decode(
        _ text: String, answersHead: Bool = false, cutAt cuts: [Int] = []
    ) -> (parts: [ResponsePart], violation: HTTPViolation?) {
        let bytes = Array(text.utf8)
        var decoder = ResponseDecoder(answersHead: answersHead)
        var parts: [ResponsePart] = []
        var start = 0
        for end in cuts + [bytes.count] {
            Array(bytes[start..<end]).withUnsafeBytes { decoder.feed($0) }
            start = end
            do throws(HTTPViolation) {
                while let part = try decoder.next() {
                    if case .body(let more) = part, case .body(let before)? = parts.last {
                        parts[parts.count - 1] = .body(before + more)
                    } else {
                        parts.append(part)
                    }
                }
            } catch {
                return (parts, error)
            }
        }
        return (parts, nil)
    }

    @Test func `encoded responses are decoded, however they are split`() {
        let response = HTTPResponse(status: .created, headerFields: [.contentType: "application/json"])
        let text = encode(response, body: "{\"a\":1}") + encode(HTTPResponse(status: .noContent))
        for cut in 0...text.utf8.count {
            let (parts, violation) = decode(text, cutAt: [cut])
            #expect(violation == nil)
            #expect(parts.count == 5)
            guard case .head(let head, .length(7))? = parts.first else {
                Issue.record("no head, cut at \(cut)")
                return
            }
            #expect(head.status == .created)
            #expect(head.headerFields[.contentType] == "application/json")
            #expect(parts.dropFirst().first == .body(Array("{\"a\":1}".utf8)))
        }
    }

    @Test func `interim responses are skipped, HEAD responses have no body, and chunks are joined`() {
        let continued = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        #expect(decode(continued).parts.count == 3)
        #expect(decode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", answersHead: true).parts.last == .end)
        let chunks = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
        #expect(decode(chunks).parts.dropFirst().first == .body(Array("hello".utf8)))
    }

    @Test func `frames after a 101 are handed over untouched`() throws {
        var decoder = ResponseDecoder()
        let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
        (Array(text.utf8) + [0x81, 0x00, 0x0A]).withUnsafeBytes { decoder.feed($0) }
        guard case .head(let head, .none)? = try decoder.next() else {
            Issue.record("no head")
            return
        }
        #expect(head.status == .switchingProtocols)
        #expect(decoder.removeUnconsumed() == [0x81, 0x00, 0x0A])
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200\r\n\r\n", .invalidStatusLine), ("HTTP/1.1 20 OK\r\n\r\n", .invalidStatusLine),
            ("HTTP/1.1 +20 OK\r\n\r\n", .invalidStatusLine), ("HTTP/1.1 099 OK\r\n\r\n", .invalidStatusLine),
            ("HTTP/1.1 600 OK\r\n\r\n", .invalidStatusLine), ("HTTP/1.1 200 \u{1}\r\n\r\n", .invalidStatusLine),
            ("HTTP/1.0 200 OK\r\n\r\n", .unsupportedVersion), ("\r\n", .invalidStatusLine),
            ("HTTP/1.1 200 OK\r\n\r\n", .unframedBody), ("HTTP/1.1 200 OK\n", .bareLineFeed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .lengthWithTransferEncoding),
            ("SSH-2.0-OpenSSH_9.2 and more\r\n", .invalidStatusLine),
        ] as [(String, HTTPViolation)])
    func `a malformed response is refused with the rule it breaks`(text: String, violation: HTTPViolation) {
        #expect(decode(text).violation == violation)
        #expect(decode(text).parts.isEmpty)
        #expect(decode(text, cutAt: Array(0...text.utf8.count)).violation == violation)
    }
}
