import Testing

/// Who is put out of a room, over real sockets and several loops.
@Suite struct ModerationTests {
    @Test func `ME3: nothing of the room follows a ban on any device, and the room is not to be had back`() async throws
    {
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
}
