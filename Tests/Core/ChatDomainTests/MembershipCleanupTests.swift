import ChatModel
import TestSupport
import Testing
import WireProtocol

@testable import ChatDomain

/// `CH14`: a large channel is deleted immediately, and its members' lists are updated a few at a time, which nobody can
/// observe.
@Suite struct MembershipCleanupTests {
    private let crowd = (0..<MembershipCleanup.membersPerStep + 72).compactMap { UserID("m\(1_000 + $0)") }

    private var all: ListChannels {
        var list = ListChannels()
        list.includeEmpty = true
        return list
    }

    private func begin() throws -> Chat {
        var chat = Chat([ann, bob] + crowd)
        chat.settings.additionsAtOnce = 10_000
        chat.settings.channelsPerUser = 2
        try chat.run(CreateChannel(id: "other", isPublic: true), as: .user(bob))
        try fill(&chat)
        return chat
    }

    private func fill(_ chat: inout Chat) throws {
        try chat.run(CreateChannel(id: general, userIDs: crowd, isPublic: true, isSuper: true), as: .server)
    }

    @Test func `CH14: the cost of deleting a large channel does not grow with its members`() throws {
        var chat = try begin()
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(chat.lastEffects.count == 3, "it is told, the room ends, and memory is freed")
        #expect(crowd.allSatisfy { chat.ears[$0]?.count == 1 }, "everybody has lost it")
        #expect(chat.state.users[crowd[0]]?.joinedChannels == [general], "not yet put right")
        // Takes one step per millisecond until it is done.
        for _ in 0..<2 { try chat.run(SendMessage(channelID: "other", text: "hello"), as: .user(bob)) }
        #expect(chat.state.membershipCleanup.isEmpty)
        #expect(crowd.allSatisfy { chat.state.users[$0]?.joinedChannels.isEmpty ?? false })
        #expect(crowd.allSatisfy { chat.state.users[$0]?.channelsInOrder.isEmpty ?? false })
    }

    @Test func `CH14: a deleted channel disappears for its members before their lists are updated`() throws {
        var chat = try begin()
        let member = crowd[crowd.count - 1]
        try chat.run(JoinChannel(channelID: "other"), as: .user(member))
        #expect(chat.refusal(of: CreateChannel(id: "more"), as: .user(member)) == .channelLimit)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(try chat.ask(all, as: .user(member)).channels.map(\.id) == ["other"])
        #expect(chat.state.standings(of: member).map(\.room) == [.inbox(member), .channel("other")])
        #expect(chat.state.smallChannels(of: member, chat.settings) == [.channel("other")])
        #expect(chat.refusal(of: CreateChannel(id: "more"), as: .user(member)) == nil)
        #expect(chat.refusal(of: CreateChannel(id: "evenmore"), as: .user(member)) == .channelLimit)
    }

    @Test func `CH14: a channel that reuses a deleted channel's id has only its own members`() throws {
        var chat = try begin()
        try chat.run(DeleteChannel(channelID: general), as: .server)
        let (back, gone) = (crowd[3], crowd[4])
        try chat.run(CreateChannel(id: general, userIDs: [back], isPublic: true), as: .server)
        for _ in 0..<4 {
            let joined = ListPublicChannels(includeEmpty: true, membership: .joined)
            #expect(try chat.ask(joined, as: .user(back)).channels.map(\.id) == [general])
            #expect(try chat.ask(joined, as: .user(gone)).channels.isEmpty)
            #expect(try chat.ask(all, as: .user(gone)).channels.isEmpty)
            #expect(chat.state.smallChannels(of: gone, chat.settings).isEmpty)
            #expect(chat.state.smallChannels(of: back, chat.settings) == [.channel(general)])
            try chat.run(SendMessage(channelID: "other", text: "hello"), as: .user(bob))
        }
        #expect(chat.state.membershipCleanup.isEmpty)
        #expect(chat.state.users[back]?.joinedChannels == [general])
        #expect(chat.state.users[back]?.channelsInOrder == [general])
    }

    @Test func `CH12: a user invited to a channel that reuses a deleted id is listed as invited, once`() throws {
        var chat = try begin()
        let member = crowd[7]
        try chat.asksBeforeJoining(member)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        try chat.run(CreateChannel(id: general, userIDs: [member]), as: .user(ann))
        let listed = try chat.ask(all, as: .user(member)).channels
        #expect(listed.map(\.id) == [general] && listed.first?.my?.state == .invited)
        var joined = all
        joined.memberState = .joined
        #expect(try chat.ask(joined, as: .user(member)).channels.isEmpty)
        try chat.run(AcceptInvitation(channelID: general), as: .user(member))
        for _ in 0..<3 { try chat.run(SendMessage(channelID: "other", text: "hello"), as: .user(bob)) }
        #expect(try chat.ask(joined, as: .user(member)).channels.map(\.id) == [general])
    }

    @Test func `CH14: the number of large channels whose deletion is pending is bounded`() throws {
        var chat = try begin()
        chat.step = 0
        for _ in 0..<MembershipCleanup.channelLimit + 5 {
            try chat.run(DeleteChannel(channelID: general), as: .server)
            try fill(&chat)
        }
        #expect(Array(chat.state.membershipCleanup.channels(of: crowd[0])).count <= MembershipCleanup.channelLimit + 1)
        #expect(chat.state.channelCount(of: try #require(chat.state.users[crowd[0]])) == 1)
        #expect(
            chat.replayed.snapshot(users: [ann, crowd[0]], channels: [general])
                == chat.state.snapshot(users: [ann, crowd[0]], channels: [general]))
    }
}
