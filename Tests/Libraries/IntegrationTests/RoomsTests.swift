import HTTPCodec
import Testing

/// Tests of who receives which events, over real sockets and several loops.
@Suite struct RoomsTests {
    @Test func `CH9: all of a member's devices get a message once, and nothing after the unsubscribe`() async throws {
        let server = try await TestServer(loops: 3)
        let ann = try await server.connect("ann")
        var devices: [ChatPeer] = []
        for _ in 0..<8 { devices.append(try await server.connect("bob")) }
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "one"])
        try await devices[0].rpc("channel.leave", ["channel_id": "general"])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "two"])
        for device in devices {
            let heard = try await device.pushesUntilNow().map(\.pushed)
            #expect(
                heard.filter { $0.hasPrefix("general") } == [
                    "general subscribe", "general member.joined", "general message.new", "general unsubscribe",
                ])
            #expect(heard.filter { $0.hasPrefix("#bob") } == ["#bob member.joined", "#bob member.left"])
        }
        #expect(
            try await ann.pushesUntilNow().map(\.pushed).suffix(2) == ["general member.left", "general message.new"])
        await server.stop()
    }

    @Test
    func `a connection without automatic subscriptions can name its rooms, and loses them like any other`() async throws
    {
        let server = try await TestServer()
        let ann = try await server.connect("ann")
        let bob = try await server.connect("bob", connect: ["data": ["subscribe": "none"]])
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        #expect(try await bob.pushesUntilNow().map(\.pushed) == ["#bob member.joined"])
        let reply = try await bob.command("subscribe", ["channel": "general"])
        #expect(reply["subscribe"]?["offset"]?.int == 2)
        #expect(try await bob.command("subscribe", ["channel": "general"])["error"]?["code"]?.int == 105)
        try await ann.rpc("message.send", ["channel_id": "general", "text": "one"])
        try await bob.rpc("channel.leave", ["channel_id": "general"])
        #expect(
            try await bob.pushesUntilNow().map(\.pushed) == [
                "general message.new", "general unsubscribe", "#bob member.left",
            ])
        #expect(try await bob.command("subscribe", ["channel": "general"])["error"]?["code"]?.int == 1000)
        #expect(try await bob.command("unsubscribe", ["channel": "#bob"])["error"]?["code"]?.int == 103)
        await server.stop()
    }

    @Test func `subscribe and unsubscribe for one room are executed in order`() async throws {
        let server = try await TestServer()
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        try await ann.rpc("channel.create", ["id": "general"])
        func send(_ commands: [(id: Int, name: String)]) async throws -> [String] {
            try ann.send(
                commands.map { #"{"id":\#($0.id),"\#($0.name)":{"channel":"general"}}"# }.joined(separator: "\n"))
            var replies: [String] = []
            while replies.count < commands.count {
                guard case .envelope(let envelope) = try await ann.hear() else { throw Peer.Closed() }
                let kind = envelope.keys.first { $0 != "id" } ?? ""
                replies.append("\(envelope["id"]?.int ?? 0) \(kind)")
            }
            return replies
        }
        #expect(try await send([(101, "subscribe"), (102, "unsubscribe")]) == ["101 subscribe", "102 unsubscribe"])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "unheard"])
        #expect(try await ann.pushesUntilNow().isEmpty)
        #expect(
            try await send([(103, "subscribe"), (104, "unsubscribe"), (105, "subscribe")])
                == ["103 subscribe", "104 unsubscribe", "105 subscribe"])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "heard"])
        #expect(try await ann.pushesUntilNow().map(\.pushed) == ["general message.new"])
        await server.stop()
    }

    @Test func `CH7: a new member gets replies to hidden messages as ids only, live and recovered`() async throws {
        let server = try await TestServer { $0.chat.historyVisibleToNewcomers = false }
        let ann = try await server.connect("ann")
        let bob = try await server.connect("bob")
        try await ann.rpc("channel.create", ["id": "general"])
        let parent = try await ann.rpc("message.send", ["channel_id": "general", "text": "the hidden text"])
        let id = try #require(parent["rpc"]?["data"]?["message"]?["id"]?.string)
        try await ann.rpc("channel.invite", ["channel_id": "general", "user_ids": ["bob"]])
        let position = try #require(try await bob.pushesUntilNow().first { $0.pushed == "general subscribe" })
        try await ann.rpc("message.send", ["channel_id": "general", "text": "a reply", "parent_message_id": id])
        let live = try #require(try await bob.pushesUntilNow().last?["push"]?["pub"])
        let full = try #require(try await ann.pushesUntilNow().last?["push"]?["pub"])
        #expect(full["data"]?["message"]?["parent"]?["text"]?.string == "the hidden text")
        #expect(live["data"]?["message"]?["parent"]?.keys == ["id", "state"])
        #expect(live["data"]?["message"]?["parent"]?["state"]?.string == "unavailable")
        #expect(live["data"]?["thread"]?.keys == ["channel_id", "parent_message_id"])
        let subscribe = try #require(position["push"]?["subscribe"])
        let again = try await ChatPeer(port: server.port)
        let reply = try await again.command(
            "connect",
            [
                "token": try await server.token("bob"),
                "subs": [
                    "general": [
                        "recover": true, "epoch": subscribe["epoch"]?.string ?? "",
                        "offset": subscribe["offset"]?.int ?? 0,
                    ] as [String: any Sendable]
                ],
            ])
        let recovered = try #require(reply["connect"]?["subs"]?["general"])
        #expect(recovered["recovered"] == .bool(true))
        #expect(recovered["publications"]?.array.last == live)
        #expect(!reply.description.contains("the hidden text"))
        await server.stop()
    }

    @Test func `a client that reads nothing is closed as slow, and the others are not affected`() async throws {
        let server = try await TestServer { $0.limits.connection.outbox.bytes = 262_144 }
        let ann = try await server.connect("ann")
        let bob = try await server.connect("bob")
        let idle = try await server.connect("cat")
        idle.peer.shrinkReceiveBuffer()
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob", "cat"]])
        let text = String(repeating: "x", count: 16_000)
        // More than the kernel buffers for both ends of a socket (at most 4 MiB on Linux) plus the outbox.
        let count = 320
        var heardByBob = 0
        for number in 0..<count {
            try await ann.rpc("message.send", ["channel_id": "general", "text": text])
            if number % 20 == 19 || number == count - 1 {
                heardByBob += try await bob.pushesUntilNow().count { $0.pushed == "general message.new" }
            }
            if try await server.metric("belfry_slow_consumers_total") == 1 { break }
        }
        #expect(try await server.metric("belfry_slow_consumers_total") == 1)
        // The slow client starts to read before the server stops waiting for the last message to arrive.
        var offsets: [Int] = []
        var code = 0
        while code == 0 {
            switch try await idle.hear() {
            case .closed(let closed): code = closed
            case .envelope(let envelope):
                if envelope["push"]?["channel"]?.string == "general",
                    let offset = envelope["push"]?["pub"]?["offset"]?.int
                {
                    offsets.append(offset)
                }
            }
        }
        #expect(code == 3008)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $1 == $0 + 1 }, "what came is contiguous")
        let sent = try #require(ann.pushes.last { $0.pushed == "general message.new" }?["push"]?["pub"]?["offset"]?.int)
        #expect(offsets.count < sent)
        heardByBob += try await bob.pushesUntilNow().count { $0.pushed == "general message.new" }
        #expect(heardByBob == ann.pushes.count { $0.pushed == "general message.new" })
        await server.stop()
    }

    /// Fills a channel with a page of the maximum size; a control character takes six bytes of JSON.
    private func fill(_ channel: String, by ann: ChatPeer) async throws -> (pageSize: Int, bytes: Int) {
        try await ann.rpc("channel.create", ["id": channel])
        let text = String(repeating: "\u{1}", count: 10_000)
        for _ in 0..<20 { try await ann.rpc("message.send", ["channel_id": channel, "text": text]) }
        return (16, 6 * 10_000 * 15)
    }

    /// Regression: the outbox counted a response like events, so requesting a long page closed the connection with
    /// 3008.
    @Test func `a page larger than the outbox is delivered, and the connection stays open`() async throws {
        let server = try await TestServer { $0.limits.connection.outbox.bytes = 65_536 }
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        let (pageSize, bytes) = try await fill("general", by: ann)
        ann.peer.shrinkReceiveBuffer()
        let list = #"{"method":"message.list","data":{"channel_id":"general","limit":100}}"#
        try ann.send((901...903).map { #"{"id":\#($0),"rpc":\#(list)}"# }.joined(separator: "\n"))
        for id in 901...903 {
            guard case .envelope(let page) = try await ann.hear() else {
                Issue.record("closed")
                return await server.stop()
            }
            #expect(page["id"]?.int == id)
            #expect(page["rpc"]?["data"]?["messages"]?.array.count == pageSize)
        }
        #expect(3 * bytes > 2_000_000)
        #expect(try await ann.pushesUntilNow().isEmpty)
        #expect(try await server.metric("belfry_slow_consumers_total") == 0)
        await server.stop()
    }

    /// The number of consecutive responses, which exceed the kernel's buffers for both ends of a socket, so that the
    /// last ones wait in the server.
    private static let answers = 8

    /// Regression: a connection that ended with its response was cut at the linger timeout, even if the peer kept
    /// reading.
    @Test func `a slow peer receives a connection's last response in full`() async throws {
        let server = try await TestServer { $0.limits.connection.lingerMilliseconds = 3_000 }
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        let bytes = try await fill("general", by: ann).bytes * Self.answers
        let peer = try Peer(port: server.port)
        peer.shrinkReceiveBuffer()
        try peer.write(try await listRequests(server, last: "Connection: close\r\n"))
        let start = ContinuousClock.now
        let received = try await bodyBytes(from: peer) { received in
            // The first half takes four seconds.
            while start.duration(to: .now) < min(.seconds(4), .seconds(8) * (Double(received) / Double(bytes))) {
                _ = try await server.metric("belfry_connections")
            }
        }
        #expect(received > bytes)
        await server.stop()
    }

    /// Regression: a half-close was treated as a full close, and data in flight was dropped.
    @Test func `a peer that half-closes its side receives the responses completely`() async throws {
        let server = try await TestServer()
        let ann = try await server.connect("ann", connect: ["data": ["subscribe": "none"]])
        let bytes = try await fill("general", by: ann).bytes * Self.answers
        let peer = try Peer(port: server.port)
        peer.shrinkReceiveBuffer()
        try peer.write(try await listRequests(server))
        peer.endWriting()
        #expect(try await bodyBytes(from: peer) { _ in } > bytes)
        await server.stop()
    }

    /// - Parameter fields: Additional header fields of the last request.
    private func listRequests(_ server: TestServer, last fields: String = "") async throws -> [UInt8] {
        let body = #"{"channel_id":"general","limit":100}"#
        let token = try await server.token("ann")
        return (1...Self.answers).flatMap { number in
            let head = """
                POST /v1/message.list HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\
                \(number == Self.answers ? fields : "")Authorization: Bearer \(token)\r\n\r\n
                """
            return Array((head + body).utf8)
        }
    }

    /// Reads the responses and returns the number of body bytes; calls a closure before each read.
    private func bodyBytes(from peer: Peer, _ beforeReading: (_ received: Int) async throws -> Void) async throws -> Int
    {
        var decoder = ResponseDecoder(limits: HTTPLimits(bodyBytes: 16_777_216))
        var received = 0
        var ended = 0
        while true {
            while let part = try decoder.next() {
                switch part {
                case .head(let response, _): #expect(response.status == .ok)
                case .body(let chunk): received += chunk.count
                case .end:
                    ended += 1
                    if ended == Self.answers { return received }
                }
            }
            try await beforeReading(received)
            let read = try await peer.read()
            read.withUnsafeBytes { decoder.feed($0) }
        }
    }
}
