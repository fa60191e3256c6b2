import HTTPCodec
import HTTPTypes
import Testing

@Suite struct ChunkedBodyTests {
    @Test(
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("a\r\n0123456789\r\n000\r\n\r\n", "0123456789"), ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
            ("5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n", "hello"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
            ("5\r\nhello\r\n0\r\nExpires: never\r\n\r\n", "hello"),
        ])
    func `chunks are joined, and extensions and trailers dropped`(body: String, content: String) throws {
        let bytes = Array((chunked(body) + get()).utf8)
        let whole = decode(bytes)
        #expect(whole.requests.count == 2)
        #expect(whole.requests.first?.body == Array(content.utf8))
        #expect(whole.violation == nil)
        for cut in 0...bytes.count { #expect(decode(bytes, cutAt: [cut]) == whole) }
        #expect(decode(bytes, cutAt: Array(0...bytes.count)) == whole)
    }

    @Test func `trailers that affect framing change nothing`() {
        let trailers = "Content-Length: 100\r\nTransfer-Encoding: gzip\r\nHost: bob\r\nConnection: close\r\n"
        let decoded = decode(chunked("1\r\na\r\n0\r\n\(trailers)\r\n") + get())
        #expect(decoded.violation == nil)
        #expect(decoded.requests.map(\.head.request.authority) == ["ann", "ann"])
        #expect(decoded.requests.map(\.hasEnded) == [true, true])
    }

    @Test(
        arguments: [
            ("\r\n", .invalidChunkSize), ("g\r\n", .invalidChunkSize), ("0x5\r\n", .invalidChunkSize),
            ("-5\r\n", .invalidChunkSize), ("+5\r\n", .invalidChunkSize), (" 5\r\n", .invalidChunkSize),
            ("5 \r\n", .invalidChunkSize), ("5 ;a\r\n", .invalidChunkSize), (";a\r\n", .invalidChunkSize),
            ("5,5\r\n", .invalidChunkSize), ("5;a\u{0}\r\n", .invalidChunkSize), ("5;\u{7F}\r\n", .invalidChunkSize),
            ("5\nhello\r\n", .bareLineFeed), ("5\rhello\r\n", .bareCarriageReturn), ("5;a\rb\r\n", .bareCarriageReturn),
            ("5\r\nhello!\r\n", .unterminatedChunk), ("5\r\nhello\n", .bareLineFeed),
            ("5\r\nhello0\r\n", .unterminatedChunk), ("5\r\nhello\rx\r\n", .unterminatedChunk),
            ("0\r\nA : b\r\n\r\n", .whitespaceBeforeColon), ("0\r\n a: b\r\n\r\n", .foldedLine),
            ("0\r\nA: b\n\r\n", .bareLineFeed), ("0\r\nGET / HTTP/1.1\r\n\r\n", .invalidFieldName),
            ("100001\r\n", .bodyTooLarge(limit: 1_048_576)), ("7FFFFFFFFFFFFFFF\r\n", .bodyTooLarge(limit: 1_048_576)),
            ("8000000000000000\r\n", .bodyTooLarge(limit: 1_048_576)),
            ("FFFFFFFFFFFFFFFF\r\n", .bodyTooLarge(limit: 1_048_576)),
            ("10000000000000005\r\n", .bodyTooLarge(limit: 1_048_576)),
            ("fffffffffffffffffffffffffffffffffffffff\r\n", .bodyTooLarge(limit: 1_048_576)),
        ] as [(String, HTTPViolation)])
    func `malformed chunks are refused with the rule they break`(body: String, violation: HTTPViolation) {
        let bytes = Array(chunked(body).utf8)
        let decoded = decode(bytes)
        #expect(decoded.violation == violation)
        #expect(decoded.requests.count == 1)
        #expect(decode(bytes, cutAt: Array(0...bytes.count)) == decoded)
    }

    @Test func `all chunks together obey the limit, exact to the byte`() {
        let limits = HTTPLimits(bodyBytes: 10)
        #expect(decode(chunked("5\r\nhello\r\n5\r\nthere\r\n0\r\n\r\n"), limits: limits).violation == nil)
        #expect(decode(chunked("5\r\nhello\r\n6\r\n"), limits: limits).violation == .bodyTooLarge(limit: 10))
        let unlimited = HTTPLimits(bodyBytes: .max)
        #expect(decode(chunked("7FFFFFFFFFFFFFFF\r\n"), limits: unlimited).violation == nil)
        #expect(
            decode(chunked("1\r\na\r\n7FFFFFFFFFFFFFFF\r\n"), limits: unlimited).violation == .bodyTooLarge(limit: .max)
        )
    }

    @Test func `the length of a chunk extension is limited, terminated or not`() {
        let fits = "1;" + String(repeating: "a", count: 254)
        #expect(decode(chunked(fits + "\r\na\r\n0\r\n\r\n")).violation == nil)
        #expect(decode(chunked(fits + "a\r\n")).violation == .chunkLineTooLong(limit: 256))
        #expect(decode(chunked(fits + "\r")).violation == nil)
        #expect(decode(chunked(fits + "aa")).violation == .chunkLineTooLong(limit: 256))
        #expect(decode(chunked(String(repeating: "0", count: 300))).violation == .chunkLineTooLong(limit: 256))
    }

    @Test func `many long extensions with little content are refused`() {
        let chunk = "1;" + String(repeating: "a", count: 250) + "\r\nx\r\n"
        #expect(decode(chunked(String(repeating: chunk, count: 60))).violation == nil)
        #expect(decode(chunked(String(repeating: chunk, count: 100))).violation == .chunkOverheadTooLarge)
        // One byte per chunk alone is slow but allowed.
        let tiny = String(repeating: "1\r\nx\r\n", count: 50_000) + "0\r\n\r\n"
        #expect(decode(chunked(tiny)).requests.first?.body.count == 50_000)
    }

    @Test func `trailers are subject to the same limits as a head`() {
        let line = "A: " + String(repeating: "b", count: 1_000) + "\r\n"
        #expect(decode(chunked("0\r\n" + String(repeating: line, count: 17))).violation == .headTooLarge(limit: 16_384))
        #expect(
            decode(chunked("0\r\n" + String(repeating: "a", count: 20_000))).violation == .headTooLarge(limit: 16_384))
        #expect(
            decode(chunked("0\r\n" + String(repeating: "a:\r\n", count: 101))).violation == .tooManyFields(limit: 100))
        #expect(decode(chunked("0\r\n" + String(repeating: "a:\r\n", count: 100) + "\r\n")).violation == nil)
    }
}
