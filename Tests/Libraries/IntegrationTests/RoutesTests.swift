import Belfry
import FoundationEssentials
import HTTPTypes
import Testing

/// Routes of the embedding program, over real sockets.
@Suite(.timeLimit(.minutes(3))) struct RoutesTests {
    @Test func `a route works alongside Belfry's own paths, on the same connection`() async throws {
        let server = try await TestServer {
            $0.routes.on(.get, "/hello") { request, _ in .text("hello \(request.path ?? "")") }
            $0.routes.on(.post, "/sum") { _, body in .text("\(try await body.collect(upTo: 100).count)") }
        }
        let browser = try Browser(server)
        let hello = try await browser.ask("GET", "/hello?a=b")
        #expect(hello.status == 200 && String(decoding: hello.body, as: UTF8.self) == "hello /hello?a=b")
        #expect(hello.fields[.date] != nil)
        #expect(try await browser.ask("GET", "/livez").status == 200)
        #expect(try await browser.ask("POST", "/sum", body: "four").body == Array("4".utf8))
        let wrong = try await browser.ask("PUT", "/hello")
        #expect(wrong.status == 405 && wrong.fields[.allow] == "GET, HEAD")
        #expect(try await browser.ask("GET", "/nowhere").status == 404)
        #expect(try await browser.ask("PUT", "/metrics").status == 405, "Belfry's own")
        // HEAD has the length of GET's response and no body: the next response follows immediately.
        try browser.send(
            "HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        var text: [UInt8] = []
        while let bytes = try? await browser.peer.read() { text += bytes }
        let answers = String(decoding: text, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        #expect(answers.count == 3 && answers[0].contains("Content-Length: 12"))
        #expect(answers[1].hasPrefix("HTTP/1.1 200") && answers[2] == "hello /hello")
        await server.stop()
    }

    @Test func `Belfry's own paths take precedence, then an exact path, then the longest prefix`() async throws {
        let server = try await TestServer {
            $0.page.isEnabled = false
            $0.routes.on(.get, .prefix("/")) { _, _ in .text("all") }
            $0.routes.on(.get, .prefix("/a/")) { _, _ in .text("a") }
            $0.routes.on(.get, .prefix("/a/b/")) { _, _ in .text("b") }
            $0.routes.on(.get, "/a/b/c") { _, _ in .text("c") }
        }
        let browser = try Browser(server)
        for (path, text) in [
            ("/", "all"), ("/a", "all"), ("/a/", "a"), ("/a/bc", "a"), ("/a/b/x", "b"), ("/a/b/c", "c"),
        ] {
            #expect(try await browser.ask("GET", path).body == Array(text.utf8), "\(path)")
        }
        #expect(try await browser.ask("GET", "/livez").body == Array("alive\n".utf8))
        for path in ["/v1/files/x", "/v1/", "/connection/other"] {
            #expect(try await browser.ask("GET", path).status != 200, "\(path)")
        }
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `bodies of any length work in both directions`(isChunked: Bool) async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let server = try await TestServer {
            $0.routes.on(.post, "/take") { _, body in
                var taken: [UInt8] = []
                for try await piece in body { taken += piece }
                return .text(taken == bytes ? "same" : "other, \(taken.count)")
            }
            $0.routes.on(.get, "/give") { _, _ in
                RouteResponse(.ok, length: isChunked ? nil : Int64(bytes.count)) { writer in
                    try await writer.write(Array(bytes[..<1_000_000]))
                    try await writer.write([])
                    try await writer.write(Array(bytes[1_000_000...]))
                }
            }
            $0.routes.on(.get, "/whole") { _, _ in RouteResponse(.ok, body: bytes) }
        }
        let browser = try Browser(server)
        let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bytes.count)"
        try browser.send("POST /take HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n")
        if isChunked { try browser.send(String(bytes.count, radix: 16) + "\r\n") }
        try browser.peer.write(bytes)
        if isChunked { try browser.send("\r\n0\r\n\r\n") }
        #expect(try await browser.answer().body == Array("same".utf8))
        for path in ["/give", "/whole", "/give"] {
            let answer = try await browser.get(path, "X: y")
            #expect(answer.status == 200 && answer.body == bytes, "\(path)")
            #expect((answer.fields[.transferEncoding] == "chunked") == (isChunked && path == "/give"))
        }
        await server.stop()
    }

    @Test func `middleware wraps every route in order, and none of Belfry's own`() async throws {
        let name = try #require(HTTPField.Name("X-Seen"))
        let server = try await TestServer {
            for letter in ["a", "b"] {
                $0.routes.wrap { request, body, next in
                    if request.path == "/secret" { return .text("no", status: .forbidden) }
                    var answer = try await next(request, body)
                    answer.head.headerFields[name] = letter + (answer.head.headerFields[name] ?? "")
                    return answer
                }
            }
            $0.routes.on(.get, "/x") { _, _ in .text("x") }
            $0.routes.on(.get, "/secret") { _, _ in .text("s") }
        }
        let browser = try Browser(server)
        #expect(try await browser.ask("GET", "/x").fields[name] == "ab")
        #expect(try await browser.ask("GET", "/secret").status == 403)
        #expect(try await browser.ask("GET", "/livez").fields[name] == nil)
        await server.stop()
    }

    @Test(arguments: [
        ("/metrics", "reserved"), ("/v1/message.send", "reserved"), ("/v1", "reserved"), ("/", "reserved"),
        ("/connection/websocket", "reserved"), ("hello", "must begin with /"), ("/a b", "must begin with /"),
        ("/a?b", "must begin with /"),
        ("/twice", "twice"),
    ])
    func `an invalid route is refused at startup`(path: String, why: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            _ = try await TestServer {
                $0.routes.on(.get, .exact(path)) { _, _ in .text("") }
                $0.routes.on(.get, "/twice") { _, _ in .text("") }
            }
        }
        #expect(error?.description.contains(why) == true && error?.exitCode == 78)
    }

    @Test(arguments: ["/v1/", "/v1/files/", "/connection/", "/a"])
    func `an invalid prefix is refused at startup`(path: String) async throws {
        await #expect(throws: ConfigurationError.self) {
            _ = try await TestServer { $0.routes.on(.get, .prefix(path)) { _, _ in .text("") } }
        }
    }

    @Test func `a stopping server gives a route time to answer`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let server = try await TestServer {
            $0.limits.drainMilliseconds = 60_000
            $0.routes.on(.get, "/slow") { _, _ in
                await begun.open()
                await gate.wait()
                return .text("done")
            }
        }
        var browser: Browser? = try Browser(server)
        try browser?.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await begun.wait()
        async let stopped: Void = server.stop()
        while (try? Peer(port: server.port)) != nil { try await Task.sleep(for: .milliseconds(5)) }
        await gate.open()
        let answer = try #require(try await browser?.answer())
        #expect(answer.status == 200 && answer.fields[.connection] == "close")
        // Otherwise the server would linger until it closes.
        browser = nil
        await stopped
    }
}
