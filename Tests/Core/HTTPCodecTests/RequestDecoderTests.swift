import HTTPCodec
import HTTPTypes
import TestSupport
import Testing

@Suite struct RequestDecoderTests {
    @Test func `pipelined requests are decoded one after the other`() {
        let decoded = decode(get() + post("Content-Length: 5", body: "hello") + chunked("2\r\nhi\r\n0\r\n\r\n") + get())
        #expect(decoded.violation == nil)
        #expect(decoded.requests.map(\.body) == [[], Array("hello".utf8), Array("hi".utf8), []])
        #expect(decoded.requests.map(\.hasEnded) == [true, true, true, true])
        #expect(decoded.requests.map(\.head.framing) == [.none, .length(5), .chunked, .none])
    }

    @Test func `requests before a violation are decoded, then every call throws the violation`() throws {
        var decoder = RequestDecoder()
        decoder.feed(Array((get() + "GET / HTTP/1.0\r\n\r\n").utf8))
        var decoded = Decoded()
        decoder.drain(into: &decoded)
        #expect(decoded.requests.count == 1)
        #expect(decoded.requests.first?.hasEnded == true)
        for _ in 0..<3 {
            decoder.feed(Array(get().utf8))
            #expect(throws: HTTPViolation.unsupportedVersion) { try decoder.next() }
        }
        #expect(decoder.bufferedBytes == 0)
    }

    @Test func `nothing is read after a request that closes the connection`() {
        let decoded = decode(get("Connection: close") + "garbage\n")
        #expect(decoded.violation == nil)
        #expect(decoded.requests.map(\.hasEnded) == [true])
    }

    @Test func `bytes after an upgrade are handed over untouched`() throws {
        let frames: [UInt8] = [0x81, 0x80, 1, 2, 3, 4, 0x0A, 0x0D, 0x0A]
        let request = Array(get("Connection: Upgrade", "Upgrade: websocket").utf8)
        for cut in 0...(request.count + frames.count) {
            var decoder = RequestDecoder()
            let bytes = request + frames
            decoder.feed(bytes[..<cut])
            var head = try decoder.next()
            if head == nil {
                decoder.feed(bytes[cut...])
                head = try decoder.next()
            } else {
                decoder.feed(bytes[cut...])
            }
            guard case .head? = head else {
                Issue.record("no head, cut at \(cut)")
                return
            }
            #expect(decoder.removeUnconsumed() == frames)
            #expect(decoder.removeUnconsumed() == [])
        }
    }

    @Test func `bytes before an upgrade are a separate request or a violation`() {
        let upgrade = get("Connection: Upgrade", "Upgrade: websocket")
        #expect(decode("garbage\r\n" + upgrade).violation == .invalidRequestLine)
        #expect(decode("\0" + upgrade).violation == .invalidMethod)
        // A body that looks like an upgrade stays a body.
        let hidden = decode(post("Content-Length: \(upgrade.utf8.count)", body: upgrade) + get())
        #expect(hidden.requests.count == 2)
        #expect(hidden.requests.first?.body == Array(upgrade.utf8))
    }

    @Test func `a request line can be as long as the limit`() {
        let limits = HTTPLimits(requestLineBytes: 100)
        let line = { (length: Int) in "GET /" + String(repeating: "a", count: length - 14) + " HTTP/1.1" }
        #expect(decode(line(100) + "\r\nHost: ann\r\n\r\n", limits: limits).requests.count == 1)
        #expect(decode(line(101) + "\r\n", limits: limits).violation == .requestLineTooLong(limit: 100))
        #expect(decode(line(101), limits: limits).violation == nil)
        #expect(decode(line(102), limits: limits).violation == .requestLineTooLong(limit: 100))
        #expect(decode(String(repeating: "a", count: 8_194)).violation == .requestLineTooLong(limit: 8_192))
    }

    @Test func `a head can be as large as the limit`() {
        let start = "GET / HTTP/1.1\r\nHost: ann\r\nX: "
        let head = { (size: Int) in start + String(repeating: "a", count: size - start.utf8.count - 4) + "\r\n\r\n" }
        #expect(decode(head(16_384)).requests.count == 1)
        for size in 16_385...16_390 {
            #expect(decode(head(size)) == Decoded(violation: .headTooLarge(limit: 16_384)))
            let bytes = Array(head(size).utf8)
            #expect(decode(bytes, cutAt: Array(16_300...size)) == Decoded(violation: .headTooLarge(limit: 16_384)))
        }
        #expect(decode(get("X: " + String(repeating: "a", count: 65_536))).violation == .headTooLarge(limit: 16_384))
    }

    @Test func `a head can have as many fields as the limit, including Host`() {
        let fields = { (count: Int) in
            "GET / HTTP/1.1\r\nHost: ann\r\n" + String(repeating: "a:\r\n", count: count - 1) + "\r\n"
        }
        #expect(decode(fields(100)).requests.count == 1)
        #expect(decode(fields(101)).violation == .tooManyFields(limit: 100))
        #expect(decode(fields(10_000)).violation == .tooManyFields(limit: 100))
        let limits = HTTPLimits(headBytes: 1 << 20, fieldCount: .max)
        #expect(decode(fields(10_000), limits: limits).requests.count == 1)
        #expect(decode(fields(10_001), limits: limits).violation == .tooManyFields(limit: 10_000))
    }

    @Test func `limits of zero refuse everything and never trap`() {
        let nothing = HTTPLimits(headBytes: 0, fieldCount: 0, requestLineBytes: 0, bodyBytes: 0, chunkLineBytes: 0)
        #expect(decode(get(), limits: nothing).violation == .requestLineTooLong(limit: 0))
        #expect(decode(get(), limits: HTTPLimits(fieldCount: 0)).violation == .tooManyFields(limit: 0))
        #expect(
            decode(chunked("0\r\n"), limits: HTTPLimits(chunkLineBytes: 0)).violation == .chunkLineTooLong(limit: 0))
        #expect(decode(get(), limits: HTTPLimits(headBytes: 16)).violation == .headTooLarge(limit: 16))
        let endless = HTTPLimits(
            headBytes: .max, fieldCount: .max, requestLineBytes: .max, bodyBytes: .max, chunkLineBytes: .max)
        #expect(decode(get(), limits: endless).requests.count == 1)
    }

    @Test func `a large head in single bytes is decoded in linear time`() {
        let limits = HTTPLimits(headBytes: 1 << 20)
        let bytes = Array(get("X: " + String(repeating: "a", count: 200_000)).utf8)
        // In quadratic time, this would examine 20 billion bytes.
        #expect(decode(bytes, limits: limits, cutAt: Array(0...bytes.count)).requests.count == 1)
    }

    @Test(arguments: [21, 22, 23] as [UInt64])
    func `bytes are decoded identically, however they are split`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            get(), get("Connection: Upgrade", "Upgrade: websocket"), post("Content-Length: 5", body: "hello"),
            chunked("5;x=y\r\nhello\r\nb\r\n0123456789a\r\n0\r\nA: b\r\n\r\n"), "\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: ann:80\r\nExpect: 100-continue\r\n\r\n", get("Connection: close"),
        ]
        for round in 0..<400 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes += Array((parts.randomElement(using: &random) ?? "").utf8)
            }
            if Bool.random(using: &random), let index = bytes.indices.randomElement(using: &random) {
                bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let cuts = (0..<Int.random(in: 1...10, using: &random)).map { _ in
                Int.random(in: 0...bytes.count, using: &random)
            }
            let whole = decode(bytes)
            guard decode(bytes, cutAt: cuts) == whole, decode(bytes, cutAt: Array(0...bytes.count)) == whole else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self).debugDescription), round \(round), seed \(seed)")
                return
            }
        }
    }
}
