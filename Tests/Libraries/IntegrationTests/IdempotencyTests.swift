import Belfry
import Dispatch
import Foundation
import Synchronization
import Testing

/// Requests with an idempotency key, over HTTP.
@Suite(.timeLimit(.minutes(3))) struct IdempotencyTests {
    /// A clock that blocks the chat on demand.
    private final class Brake: Sendable {
        private let isOn = Mutex(false)
        private let stopped = DispatchSemaphore(value: 0)
        private let released = DispatchSemaphore(value: 0)

        func stop() { isOn.withLock { $0 = true } }

        /// Waits outside the tests' own threads.
        func untilStopped() async {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    self.stopped.wait()
                    continuation.resume()
                }
            }
        }

        func release() { released.signal() }

        func now() -> Int64 {
            let waits = isOn.withLock { isOn in
                defer { isOn = false }
                return isOn
            }
            if waits {
                stopped.signal()
                released.wait()
            }
            return Int64(Date().timeIntervalSince1970 * 1_000)
        }
    }

    private let key = "X-API-Key: \(TestServer.apiKey)\r\n"
    private func named(_ text: String) -> String { "Idempotency-Key: \"\(text)\"\r\n" }

    @Test func `a repeated request is executed once, and gets the same answer on every loop`() async throws {
        let server = try await TestServer()
        let browser = try Browser(server)
        _ = try await browser.ask("POST", "/v1/channel.create", key, body: #"{"id":"general"}"#)
        let body = #"{"channel_id":"general","kind":"admin","text":"hello"}"#
        var answers: Set<[UInt8]> = []
        for _ in 0..<6 {
            let answer = try await Browser(server).ask("POST", "/v1/message.send", key + named("a"), body: body)
            #expect(answer.status == 200)
            answers.insert(answer.body)
        }
        #expect(answers.count == 1)
        let list = try await browser.ask(
            "POST", "/v1/message.list", key, body: #"{"channel_id":"general"}"#)
        #expect(list.json?["messages"]?.array.count == 1)
        let other = try await browser.ask("POST", "/v1/message.send", key + named("a"), body: body + " ")
        #expect(other.status == 422 && other.json?["error"]?["code"]?.int == 1036)
        let another = try await browser.ask("POST", "/v1/message.send", key + named("b"), body: body)
        #expect(another.status == 200 && !answers.contains(another.body))
        #expect(try await server.metric("belfry_idempotency_answers") == 2)
        #expect(try await server.metric("belfry_idempotency_repeats_total") == 5)
        await server.stop()
    }

    @Test
    func `errors are also repeated, requests that never started are not, and an invalid key is refused`() async throws {
        let server = try await TestServer()
        let browser = try Browser(server)
        func ask(_ method: String, _ field: String, _ body: String) async throws -> String {
            let answer = try await browser.ask("POST", "/v1/" + method, key + field, body: body)
            return "\(answer.status) \(answer.json?["error"]?["code"]?.int ?? 0)"
        }
        #expect(try await ask("user.deactivate", named("a"), #"{"user_id":"bob"}"#) == "404 1000")
        #expect(try await ask("user.upsert", "", #"{"id":"bob"}"#) == "200 0")
        #expect(try await ask("user.deactivate", named("a"), #"{"user_id":"bob"}"#) == "404 1000")
        #expect(try await ask("user.upsert", named("b"), "{") == "400 107")
        #expect(try await ask("user.upsert", named("b"), #"{"id":"cat"}"#) == "200 0")
        for field in ["Idempotency-Key: c\r\n", named(""), named("c") + named("c")] {
            #expect(try await ask("user.upsert", field, #"{"id":"dan"}"#) == "400 107")
        }
        #expect(try await ask("user.get", "", #"{"user_id":"dan"}"#) == "404 1000")
        await server.stop()
    }

    @Test
    func `a duplicate of a pending request is refused, and a retry is answered even if the first client has left`()
        async throws
    {
        let brake = Brake()
        let server = try await TestServer { $0.clock = { brake.now() } }
        brake.stop()
        let body = #"{"id":"general"}"#
        var first: Browser? = try Browser(server)
        try first?.send(
            "POST /v1/channel.create HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n"
                + key + named("a") + "\r\n" + body)
        await brake.untilStopped()
        let second = try Browser(server)
        let refused = try await second.ask("POST", "/v1/channel.create", key + named("a"), body: body)
        #expect(refused.status == 409 && refused.json?["error"]?["code"]?.int == 1037)
        let other = try await second.ask("POST", "/v1/channel.create", key + named("a"), body: #"{"id":"tea"}"#)
        #expect(other.status == 422)
        first = nil
        brake.release()
        #expect(try await server.awaits("belfry_idempotency_answers") { $0 == 1 })
        let answer = try await second.ask("POST", "/v1/channel.create", key + named("a"), body: body)
        #expect(answer.status == 200 && answer.json?["created"] == .bool(true))
        await server.stop()
    }
}
