import Foundation
import Testing

/// The work limit per loop turn, over real sockets. With a limit of a single byte per turn, all but the smallest input
/// waits for its own turn.
@Suite(.timeLimit(.minutes(3))) struct LoopTurnsTests {
    private func server() async throws -> TestServer {
        try await TestServer(loops: 1) { $0.limits.connection.turnBytes = 1 }
    }

    @Test func `N109: answers and events that wait for a turn are sent once, and in order`() async throws {
        let server = try await server()
        let ann = try await server.connect("ann")
        let bob = try await server.connect("bob")
        let text = String(repeating: "x", count: 10_000)
        _ = try await ann.rpc("channel.create", ["id": "general", "is_public": true])
        _ = try await bob.rpc("channel.join", ["channel_id": "general"])
        // All requests are sent before any response is read.
        var lines: [String] = []
        for number in 0..<20 {
            lines.append(
                #"{"id":\#(1_000 + number),"rpc":{"method":"message.send","data":{"channel_id":"general","text":"\#(number) "#
                    + text + #""}}}"#)
        }
        for line in lines { try ann.send(line) }
        var (answers, texts): ([Int], [Int]) = ([], [])
        func number(_ envelope: JSON) -> Int? {
            let event = envelope["push"]?["pub"]?["data"]
            guard event?["type"]?.string == "message.new" else { return nil }
            return event?["message"]?["text"]?.string.flatMap { Int($0.prefix { $0 != " " }) }
        }
        while answers.count < 20 || texts.count < 20 {
            guard case .envelope(let envelope) = try await ann.hear() else {
                Issue.record("closed")
                break
            }
            if let id = envelope["id"]?.int {
                #expect(envelope["rpc"] != nil)
                answers.append(id - 1_000)
            }
            if let number = number(envelope) { texts.append(number) }
        }
        #expect(answers == Array(0..<20) && texts == Array(0..<20))
        var ofBob: [Int] = []
        while ofBob.count < 20, case .envelope(let envelope) = try await bob.hear() {
            if let number = number(envelope) { ofBob.append(number) }
        }
        #expect(ofBob == Array(0..<20))
        await server.stop()
    }

    @Test func `large HTTP requests wait for a turn and are all answered`() async throws {
        let server = try await server()
        let token = "Authorization: Bearer \(try await server.token("ann"))\r\n"
        let browser = try Browser(server)
        let body = "{" + String(repeating: " ", count: 100_000) + "}"
        let request =
            "POST /v1/channel.list HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\(token)\r\n\(body)"
        try browser.send(String(repeating: request, count: 5))
        for _ in 0..<5 { #expect(try await browser.answer().status == 200) }
        await server.stop()
    }

    @Test func `large messages wait for a turn and are all answered`() async throws {
        let server = try await server()
        let ann = try await server.connect("ann")
        let padding = String(repeating: " ", count: 60_000)
        for id in 1_000..<1_010 {
            try ann.send("{" + padding + #""id":\#(id),"rpc":{"method":"channel.list","data":{}}}"#)
        }
        var ids: [Int] = []
        while ids.count < 10, case .envelope(let envelope) = try await ann.hear() {
            if let id = envelope["id"]?.int { ids.append(id) }
        }
        #expect(ids == Array(1_000..<1_010))
        await server.stop()
    }
}
