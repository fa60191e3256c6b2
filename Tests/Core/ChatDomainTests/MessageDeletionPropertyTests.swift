import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// Compares `MS7` and `MS8` with a plain list of messages that recounts everything.
@Suite struct MessageDeletionPropertyTests {
    private struct Kept {
        let id: MessageID
        let by: UserID
        let at: Int64
        let parent: MessageID?
        let inChannel: Bool
        var text: String
        var isDeleted = false
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MS8 T4: every count equals a recount after any sends, changes and deletions`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let people = (0..<7).map { UserID(stringLiteral: "user\($0)") }
        var chat = Chat(people, seed: seed)
        try chat.create(by: people[0], with: Array(people.dropFirst()))
        var kept: [Kept] = []
        for step in 0..<250 {
            chat.step = Int64.random(in: 0...2, using: &random)
            let living = kept.indices.filter { !kept[$0].isDeleted }
            let choice = Int.random(in: 0..<10, using: &random)
            guard choice < 5, let index = living.isEmpty ? nil : random.pick(living) else {
                let parent = kept.filter { $0.parent == nil && !$0.isDeleted }.prefix(3).map(\.id)
                let isReply = !parent.isEmpty && random.chance(percent: 70)
                let message = try chat.say(
                    "m\(step)", by: random.pick(people), to: isReply ? random.pick(Array(parent)) : nil,
                    alsoInChannel: isReply ? random.chance(percent: 50) : nil)
                kept.append(
                    Kept(
                        id: message.id, by: try #require(message.user?.id), at: message.createdAt,
                        parent: message.parentMessageID, inChannel: message.replyToChannel ?? true, text: "m\(step)"))
                continue
            }
            let message = kept[index]
            let author = Caller.user(message.by)
            if choice == 0 {
                try chat.run(UpdateMessage(channelID: general, messageID: message.id, text: "u\(step)"), as: author)
                kept[index].text = "u\(step)"
            } else {
                let hasReplies = kept.contains { $0.parent == message.id && !$0.isDeleted }
                let got = chat.refusal(of: DeleteMessage(channelID: general, messageID: message.id), as: author)
                #expect(got == (hasReplies ? .parentHasReplies : nil), "seed \(seed), step \(step)")
                kept[index].isDeleted = !hasReplies
            }
            if step % 5 == 0 { try compare(&chat, kept, people[0], "seed \(seed), step \(step)") }
        }
        try compare(&chat, kept, people[0], "seed \(seed)")
        _ = tops(chat.records)
        #expect(
            chat.replayed.snapshot(users: people, channels: [general])
                == chat.state.snapshot(users: people, channels: [general]), "seed \(seed)")
    }

    private func compare(_ chat: inout Chat, _ kept: [Kept], _ viewer: UserID, _ comment: Comment) throws {
        let living = kept.filter { !$0.isDeleted }
        #expect(try chat.texts(for: viewer) == living.map(\.text), comment)
        let channel = try chat.ask(GetChannel(channelID: general), as: .user(viewer)).channel
        #expect(channel.lastMessage?.text == living.last { $0.inChannel }?.text, comment)
        for parent in living where parent.parent == nil {
            let replies = living.filter { $0.parent == parent.id }
            let thread = try chat.ask(GetMessage(channelID: general, messageID: parent.id), as: .user(viewer)).message
                .thread
            guard let last = replies.last else {
                #expect(thread == nil, comment)
                continue
            }
            var ranking: [UserID] = []
            for reply in replies where !ranking.contains(reply.by) { ranking.append(reply.by) }
            // The order is stable: among equals, the first to reply comes first.
            let counts = ranking.map { user in replies.count { $0.by == user } }
            let order = ranking.indices.sorted { (-counts[$0], $0) < (-counts[$1], $1) }
            #expect(thread?.replyCount == replies.count, comment)
            #expect(thread?.lastReplyAt == last.at, comment)
            #expect(thread?.mostRepliedUsers?.map(\.id) == order.prefix(4).map { ranking[$0] }, comment)
            let listed = try chat.ask(
                ListReplies(channelID: general, parentMessageID: parent.id, next: 100), as: .user(viewer))
            #expect(listed.replies.compactMap(\.text) == Array(replies.prefix(100)).map(\.text), comment)
        }
    }
}
