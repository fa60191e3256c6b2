import Testing

/// Losing a room, over real sockets and several loops.
@Suite struct ModerationTests {
    @Test
    func `ME3: no event of the room follows a ban on any device, and resubscribing to it is refused`() async throws {
        let server = try await TestServer(loops: 3)
        let ann = try await server.connect("ann")
        var devices: [ChatPeer] = []
        for _ in 0..<6 { devices.append(try await server.connect("bob")) }
        try await ann.rpc(
            "channel.create", ["id": "general", "is_public": true, "user_ids": ["bob"], "operator_user_ids": ["ann"]])
        let before = try #require(try await devices[0].pushesUntilNow().first { $0.pushed == "general subscribe" })
        try await ann.rpc("member.ban", ["channel_id": "general", "user_id": "bob", "seconds": 3_600])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "they are gone"])
        for (index, device) in devices.enumerated() {
            let heard = try await device.pushesUntilNow().map(\.pushed)
            #expect(
                heard == (index == 0 ? [] : ["general subscribe", "general member.joined", "#bob member.joined"]) + [
                    "general unsubscribe", "#bob member.banned",
                ])
        }
        let position = try #require(before["push"]?["subscribe"])
        let again = try await devices[0].command(
            "subscribe",
            [
                "channel": "general", "recover": true, "epoch": position["epoch"]?.string ?? "",
                "offset": position["offset"]?.int ?? 0,
            ])
        #expect(again["error"]?["code"]?.int == 1001)
        let join = try await devices[0].rpc("channel.join", ["channel_id": "general"])
        #expect(join["error"]?["code"]?.int == 1003)
        try await ann.rpc("member.unban", ["channel_id": "general", "user_id": "bob"])
        try await devices[0].rpc("channel.join", ["channel_id": "general"])
        #expect(
            try await devices[1].pushesUntilNow().map(\.pushed) == [
                "#bob member.unbanned", "general subscribe", "general member.joined", "#bob member.joined",
            ])
        await server.stop()
    }

    @Test func `US2: deactivation permanently closes every device, and reconnecting is refused`() async throws {
        let server = try await TestServer(loops: 3)
        let ann = try await server.connect("ann")
        var devices: [ChatPeer] = []
        for _ in 0..<4 { devices.append(try await server.connect("bob")) }
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        let (status, body) = try await server.http(
            "user.deactivate", #"{"user_id":"bob"}"#, [try #require(.init("X-API-Key")): TestServer.apiKey])
        #expect(status == 200 && body["user"]?["is_active"] == .bool(false))
        try await ann.rpc("message.send", ["channel_id": "general", "text": "they are gone"])
        for device in devices {
            var pushed: [String] = []
            var code: Int?
            while code == nil {
                switch try await device.hear() {
                case .envelope(let envelope): pushed.append(envelope.pushed)
                case .closed(let number): code = number
                }
            }
            #expect(code == 3503)
            #expect(!pushed.contains("general message.new"))
        }
        let late = try await ChatPeer(port: server.port)
        let refusal = try await late.command("connect", ["token": try await server.token("bob")])
        #expect(refusal["error"]?["code"]?.int == 1008)
        #expect(try await late.hear() == .closed(3503))
        await server.stop()
    }

    @Test func `L1: typing is published without an offset, and later offsets continue without a gap`() async throws {
        let server = try await TestServer(loops: 2)
        let (ann, bob) = (try await server.connect("ann"), try await server.connect("bob"))
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        _ = try await bob.pushesUntilNow()
        #expect(try await ann.rpc("typing.start", ["channel_id": "general"])["rpc"]?["data"]?.keys == [])
        try await ann.rpc("message.send", ["channel_id": "general", "text": "hi"])
        let pushes = try await bob.pushesUntilNow()
        #expect(pushes.map(\.pushed) == ["general typing.started", "general message.new"])
        #expect(pushes.map { $0["push"]?["pub"]?["offset"]?.int } == [nil, 3])
        #expect(pushes[0]["push"]?["pub"]?["data"]?["typing"]?["user"]?["id"]?.string == "ann")
        await server.stop()
    }

    @Test
    func `CH14: deleting a channel deletes its history, and a new one with the same id starts empty`() async throws {
        let server = try await TestServer(loops: 3)
        let ann = try await server.connect("ann")
        let bob = try await server.connect("bob")
        let hall: [String: any Sendable] = ["id": "hall", "user_ids": ["bob"], "operator_user_ids": ["ann"]]
        try await ann.rpc("channel.create", hall)
        let first = try #require(try await bob.pushesUntilNow().first { $0.pushed == "hall subscribe" })
        let old = try #require(first["push"]?["subscribe"])
        for text in ["one", "two"] { try await ann.rpc("message.send", ["channel_id": "hall", "text": text]) }
        try await ann.rpc("channel.delete", ["channel_id": "hall"])
        #expect(
            try await bob.pushesUntilNow().map(\.pushed).suffix(4) == [
                "hall message.new", "hall message.new", "hall channel.deleted", "hall unsubscribe",
            ])
        #expect(try await ann.pushesUntilNow().map(\.pushed).suffix(2) == ["hall channel.deleted", "hall unsubscribe"])
        #expect(try await bob.command("subscribe", ["channel": "hall"])["error"]?["code"]?.int == 1000)

        try await ann.rpc("channel.create", hall)
        let again = try #require(try await bob.pushesUntilNow().first { $0.pushed == "hall subscribe" })
        let new = try #require(again["push"]?["subscribe"])
        #expect(new["offset"]?.int == 1 && new["epoch"] != old["epoch"])
        try await ann.rpc("message.send", ["channel_id": "hall", "text": "three"])
        // A device can recover only the new incarnation; a position in the old one is invalid.
        for (epoch, recovers) in [(new["epoch"], true), (old["epoch"], false)] {
            let device = try await ChatPeer(port: server.port)
            let position: [String: any Sendable] = ["recover": true, "epoch": epoch?.string ?? "", "offset": 0]
            let reply = try await device.command(
                "connect",
                ["token": try await server.token("ann"), "subs": ["hall": position] as [String: any Sendable]])
            let hall = try #require(reply["connect"]?["subs"]?["hall"])
            #expect((hall["recovered"] == .bool(true)) == recovers)
            #expect(
                (hall["publications"]?.array ?? []).compactMap { $0["offset"]?.int } == (recovers ? [1, 2, 3] : []))
            #expect(!reply.description.contains("\"two\""))
        }
        await server.stop()
    }
}
