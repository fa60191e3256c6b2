import ChatDomain
import ChatModel
import Testing
import WireProtocol

@Suite struct RecordTests {
    @Test func `every room numbers its events from 1 without gaps`() throws {
        var chat = Chat()
        try chat.asksBeforeJoining(cat)
        try chat.create(with: [bob, cat], isPublic: true, isDistinct: true)
        try chat.create("other", by: bob, with: [ann])
        try chat.say("one")
        try chat.say("two", by: bob, in: "other")
        try chat.run(AcceptInvitation(channelID: general), as: .user(cat))
        try chat.run(LeaveChannel(channelID: general), as: .user(bob))
        _ = try chat.invite([dan, eve])
        #expect(
            tops(chat.records) == [
                .channel(general): 10, .channel("other"): 3, .inbox(bob): 2, .inbox(ann): 1, .inbox(cat): 3,
                .inbox(dan): 1,
                .inbox(eve): 1,
            ])
        for (user, rooms) in chat.ears {
            for standing in chat.state.standings(of: user) {
                #expect(rooms[standing.room] != nil, "\(user) hears \(standing.room)")
            }
            #expect(rooms.count == chat.state.standings(of: user).count)
        }
    }

    @Test func `time never goes back, even if the clock does`() throws {
        var chat = Chat()
        try chat.create()
        let first = try chat.say("first")
        chat.now -= 3_600_000
        let second = try chat.say("second")
        #expect(second.createdAt == first.createdAt && second.offset == first.offset + 1)
        #expect(zip(chat.records, chat.records.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test func `each incarnation of a room has its own epoch, which no other room has`() throws {
        var chat = Chat()
        try chat.create()
        try chat.create("other")
        let epochs = chat.state.standings(of: ann).map(\.epoch)
        #expect(Set(epochs).count == 3 && epochs.allSatisfy { !$0.isEmpty && $0.utf8.count <= 16 })
    }

    @Test func `the inbox comes first, then the channels by id`() throws {
        var chat = Chat()
        for id in ["b", "a", "c"] as [ChannelID] { try chat.create(id) }
        #expect(
            chat.state.standings(of: ann).map(\.room) == [.inbox(ann), .channel("a"), .channel("b"), .channel("c")])
        #expect(chat.state.standings(of: "nobody").isEmpty)
    }
}

/// Returns the last offset of every room; fails if a room's offsets are not 1, 2, 3 …
func tops(_ records: [Record]) -> [Room: UInt64] {
    var tops: [Room: UInt64] = [:]
    for record in records {
        #expect(record.positions.map(\.room) == record.event.rooms)
        for position in record.positions {
            #expect(position.offset == tops[position.room, default: 0] + 1)
            tops[position.room] = position.offset
        }
    }
    return tops
}
