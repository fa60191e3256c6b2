import Belfry
import ChatModel
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

/// Tests of the limits and failures of routes.
@Suite(.timeLimit(.minutes(3))) struct RouteLimitsTests {
    private struct Secretive: Error { let text: String }

    @Test func `an error thrown by a handler yields a 500, and its text is not logged`() async throws {
        let log = LogLines()
        let server = try await TestServer(logger: log.logger) {
            $0.routes.on(.post, "/throw") { _, body in
                throw Secretive(text: String(decoding: try await body.collect(upTo: 100), as: UTF8.self))
            }
            $0.routes.on(.get, "/refuse") { _, _ in throw Rejection(.notAMember) }
            $0.routes.on(.get, "/interim") { _, _ in RouteResponse(.continue) }
            $0.routes.on(.get, "/middle") { _, _ in
                RouteResponse(.ok) { writer in
                    try await writer.write("first")
                    throw Secretive(text: "canary")
                }
            }
            $0.routes.on(.get, "/short") { _, _ in RouteResponse(.ok, length: 9) { try await $0.write("first") } }
        }
        var browser = try Browser(server)
        let thrown = try await browser.ask("POST", "/throw?canary", body: "canary")
        #expect(thrown.status == 500 && thrown.body == Array("internal server error\n".utf8))
        let refused = try await browser.ask("GET", "/refuse")
        #expect(refused.status == 403 && refused.json?["error"]?["code"]?.int == 1001)
        #expect(try await browser.ask("GET", "/interim").status == 500)
        for path in ["/middle", "/short"] {
            browser = try Browser(server)
            // The response is cut off, so that it cannot be mistaken for complete.
            await #expect(throws: Peer.Closed.self, "\(path)") { _ = try await browser.get(path, "X: y") }
        }
        let lines = log.lines.withLock { $0 }
        #expect(lines.contains { $0.contains("a route failed") && $0.contains("Secretive") && $0.contains("/throw") })
        #expect(lines.contains { $0.contains("a route wrote fewer bytes than it declared") })
        #expect(!lines.contains { $0.contains("canary") })
        #expect(try await server.metric("belfry_route_failures_total") == 4)
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `a body that is too long is answered with 413`(isChunked: Bool) async throws {
        let server = try await TestServer {
            $0.routes.limits.bodyBytes = 100
            $0.routes.on(.post, "/take") { _, body in .text("\(try await body.collect(upTo: 1_000).count)") }
            $0.routes.on(.post, "/more", bodyBytes: 200) { _, body in
                .text("\(try await body.collect(upTo: 1_000).count)")
            }
        }
        for (path, count, status) in [
            ("/take", 100, 200), ("/take", 101, 413), ("/more", 200, 200), ("/more", 201, 413),
        ] {
            let browser = try Browser(server)
            let text = String(repeating: "x", count: count)
            let body = isChunked ? String(count, radix: 16) + "\r\n\(text)\r\n0\r\n\r\n" : text
            let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            try browser.send("POST \(path) HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n\(body)")
            #expect(try await browser.answer().status == status, "\(path) \(count)")
        }
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a body that does not arrive in time is answered with 408`(asPiece: Bool) async throws {
        let cancelled = Gate()
        let server = try await TestServer {
            if asPiece {
                $0.limits.connection.requestMilliseconds = 200
            } else {
                $0.routes.limits.bodyTime = .milliseconds(200)
            }
            $0.routes.on(.post, "/take") { _, body in
                do { return .text("\(try await body.collect(upTo: 100).count)") } catch {
                    if error as? RouteError == .connectionLost, Task.isCancelled { await cancelled.open() }
                    throw error
                }
            }
        }
        let browser = try Browser(server)
        try browser.send("POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        #expect(try await browser.answer().status == 408)
        await cancelled.wait()
        await server.stop()
    }

    @Test func `a client that expects 100-continue is asked to send the body`() async throws {
        let server = try await TestServer {
            $0.routes.on(.post, "/take") { _, body in .text("\(try await body.collect(upTo: 100).count)") }
        }
        let browser = try Browser(server)
        try browser.send("POST /take HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(try await browser.peer.read() == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        try browser.send("four")
        #expect(try await browser.answer().body == Array("4".utf8))
        await server.stop()
    }

    @Test func `requests beyond the available places are refused with a retry`() async throws {
        let (begun, gate) = (Gate(), Gate())
        let server = try await TestServer {
            $0.routes.limits.maxConcurrentRequests = 1
            $0.routes.on(.get, "/slow") { _, _ in
                await begun.open()
                await gate.wait()
                return .text("done")
            }
        }
        let (first, second) = (try Browser(server), try Browser(server))
        try first.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await begun.wait()
        #expect(try await server.metric("belfry_route_requests") == 1)
        let refused = try await second.ask("GET", "/slow")
        #expect(refused.status == 503 && refused.fields[.retryAfter] == "1")
        #expect(try await server.metric("belfry_route_requests_refused_total") == 1)
        await gate.open()
        #expect(try await first.answer().status == 200)
        #expect(try await server.awaits("belfry_route_requests") { $0 == 0 })
        #expect(try await second.ask("GET", "/slow").status == 200)
        await server.stop()
    }

    @Test func `reading from a client pauses until its handler consumes the body`() async throws {
        let gate = Gate()
        let held = 33_554_432
        let server = try await TestServer {
            $0.routes.limits.bodyBytes = held
            $0.routes.limits.bufferBytes = 4_096
            $0.routes.on(.post, "/take") { _, body in
                await gate.wait()
                return .text("\(try await body.reduce(0) { $0 + $1.count })")
            }
        }
        let browser = try Browser(server)
        let left = Mutex(false)
        try browser.send("POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: \(held)\r\n\r\n")
        // Far more than the kernel buffers for two sockets.
        let port = Sender(browser.peer)
        let sending = Task.detached {
            try port.peer.write([UInt8](repeating: 1, count: held))
            left.withLock { $0 = true }
        }
        #expect(try await server.awaits("belfry_route_pauses_total") { $0 > 0 })
        #expect(left.withLock { !$0 })
        await gate.open()
        try await sending.value
        #expect(try await browser.answer().body == Array("\(held)".utf8))
        await server.stop()
    }

    @Test func `a handler waits for a client that does not read, and gets an error when it disconnects`() async throws {
        let written = Mutex(0)
        let ended = Gate()
        let server = try await TestServer {
            $0.routes.on(.get, "/endless") { _, _ in
                RouteResponse(.ok) { writer in
                    do {
                        while true {
                            try await writer.write([UInt8](repeating: 7, count: 65_536))
                            written.withLock { $0 += 65_536 }
                        }
                    } catch {
                        if error as? RouteError == .connectionLost { await ended.open() }
                        throw error
                    }
                }
            }
        }
        var peer: Peer? = try Peer(port: server.port)
        peer?.shrinkReceiveBuffer()
        try peer?.write(Array("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        // Wait until the value stops changing.
        var (last, still) = (-1, 0)
        while still < 20 {
            try await Task.sleep(for: .milliseconds(20))
            let now = written.withLock { $0 }
            still = now == last && now > 0 ? still + 1 : 0
            last = now
        }
        #expect(last < 16_777_216)
        peer = nil
        await ended.wait()
        #expect(try await server.awaits("belfry_route_requests") { $0 == 0 })
        await server.stop()
    }

    @Test(arguments: ["", "Content-Length: 10\r\n"])
    func `a handler is cancelled when its client disconnects`(length: String) async throws {
        let (begun, cancelled) = (Gate(), Gate())
        let server = try await TestServer {
            $0.routes.on(.post, "/wait") { _, _ in
                await begun.open()
                do { try await Task.sleep(for: .seconds(3_600)) } catch { await cancelled.open() }
                return .text("")
            }
        }
        var peer: Peer? = try Peer(port: server.port)
        try peer?.write(Array("POST /wait HTTP/1.1\r\nHost: x\r\n\(length)\r\n".utf8))
        await begun.wait()
        peer = nil
        await cancelled.wait()
        await server.stop()
    }
}

/// A peer to which another task writes: `write` uses only the descriptor and no state of the peer's queue.
private final class Sender: @unchecked Sendable {
    let peer: Peer
    init(_ peer: Peer) { self.peer = peer }
}
