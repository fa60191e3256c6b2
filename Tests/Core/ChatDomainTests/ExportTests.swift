import ChatDomain
import ChatModel
import Foundation
import Testing

@Suite struct ExportTests {
    /// A line, decoded: only what the tests read.
    private struct Line: Decodable {
        let type: String
        var user_id: String?
        var message_id: String?
        var key: String?
        var title: String?
        var description: String?
        var user: User?
        var devices: [Device]?
        var channel: Channel?
        var member: Member?
        var membership: MyMembership?
        var message: Message?
        var report: Report?
    }

    private func lines(_ chat: Chat, _ scope: ExportScope) throws -> [Line] {
        var lines: [Line] = []
        try chat.state.export(scope) { line throws(any Error) in
            lines.append(try JSONDecoder().decode(Line.self, from: try JSONEncoder().encode(line)))
        }
        return lines
    }

    /// Returns a chat in which ann and bob write, react and report; cat has left, dan is invited and eve banned.
    private func chat() throws -> (chat: Chat, first: MessageID) {
        var chat = Chat()
        try chat.create(with: [bob, cat, eve])
        try chat.run(RegisterDevice(provider: .web, token: "ann's-device"), as: .user(ann))
        let first = try chat.say("from ann").id
        try chat.say("from bob", by: bob, to: first)
        try chat.say("from cat", by: cat)
        try chat.run(UpdateThread(channelID: general, parentMessageID: first, title: "About ann"), as: .server)
        for user in [ann, bob] {
            try chat.run(AddReaction(channelID: general, messageID: first, key: "sob"), as: .user(user))
        }
        try chat.run(CreateReport(category: .spam, channelID: general, messageID: first), as: .user(bob))
        try chat.asksBeforeJoining(dan)
        _ = try chat.invite([dan])
        try chat.run(BanMember(channelID: general, userID: eve, description: "rude"), as: .server)
        try chat.run(LeaveChannel(channelID: general), as: .user(cat))
        return (chat, first)
    }

    @Test func `PR2: the whole chat has every user, member, message, reaction, thread and ban once`() throws {
        let (chat, first) = try chat()
        let lines = try lines(chat, .everything)
        func all(_ type: String) -> [Line] { lines.filter { $0.type == type } }
        #expect(lines.first?.type == "export" && all("export").count == 1)
        #expect(all("emoji").count == 7)
        #expect(all("user").compactMap(\.user?.id) == [ann, bob, cat, dan, eve])
        #expect(all("channel").compactMap(\.channel?.id) == [general])
        #expect(all("member").compactMap(\.member?.user.id) == [ann, bob, dan])
        #expect(all("member").last?.member?.state == .invited)
        #expect(all("message").compactMap(\.message?.text) == ["from ann", "from bob", "from cat"])
        #expect(all("reaction").map(\.user_id) == ["ann", "bob"])
        #expect(all("reaction").allSatisfy { $0.message_id == first.description && $0.key == "sob" })
        #expect(all("thread").map(\.title) == ["About ann"])
        #expect(all("ban").map(\.description) == ["rude"] && all("ban").map(\.user_id) == ["eve"])
        #expect(all("report").compactMap(\.report?.by) == [bob])
    }

    @Test func `PR2: a user's export has what is theirs, even in channels they left, and no messages by others`()
        throws
    {
        let (chat, _) = try chat()
        let ofAnn = try lines(chat, .user(ann))
        #expect(ofAnn.map(\.type) == ["export", "user", "membership", "message", "reaction"])
        #expect(ofAnn[1].devices?.map(\.token) == ["ann's-device"])
        #expect(ofAnn[2].membership?.state == .joined)
        let ofBob = try lines(chat, .user(bob))
        #expect(ofBob.map(\.type) == ["export", "user", "report", "membership", "reaction", "message"])
        #expect(ofBob.compactMap(\.message?.text) == ["from bob"] && ofBob.allSatisfy { $0.message?.parent == nil })
        let ofCat = try lines(chat, .user(cat))
        #expect(ofCat.map(\.type) == ["export", "user", "message"])
        #expect(try lines(chat, .user(dan)).map(\.type) == ["export", "user", "membership"])
        #expect(try lines(chat, .user(eve)).map(\.type) == ["export", "user", "ban"])
    }

    @Test func `PR2: a channel's export has only this channel`() throws {
        var (chat, _) = try chat()
        try chat.create("other", with: [bob])
        try chat.say("elsewhere", by: bob, in: "other")
        let lines = try lines(chat, .channel(general))
        #expect(lines.compactMap(\.channel?.id) == [general])
        #expect(lines.compactMap(\.message?.text) == ["from ann", "from bob", "from cat"])
        #expect(!lines.contains { $0.type == "user" })
    }

    @Test func `PR2: a deleted message has no text in an export`() throws {
        var (chat, _) = try chat()
        let said = try chat.say("to be deleted").id
        try chat.run(DeleteMessage(channelID: general, messageID: said), as: .user(ann))
        let message = try #require(try lines(chat, .user(ann)).compactMap(\.message).last)
        #expect(message.text == nil && message.deletedAt != nil)
    }

    @Test func `PR2: nobody is exported who does not exist`() throws {
        let (chat, _) = try chat()
        for scope in [ExportScope.user("nobody"), .channel("nowhere")] {
            #expect(try lines(chat, scope).isEmpty)
        }
    }
}
