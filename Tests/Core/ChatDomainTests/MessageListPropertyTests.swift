import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// Compares `MS4` with a naively filtered, cut and extended list.
@Suite struct MessageListPropertyTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MS4: every list equals that of a naive implementation`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        chat.settings.historyVisibleToNewcomers = false
        try chat.create(with: [bob])
        var parents: [Message] = []
        var all: [Message] = []
        var firstVisible = 0
        for number in 0..<60 {
            chat.step = Int64.random(in: 0...2, using: &random)
            if number == 10 {
                try chat.run(InviteToChannel(channelID: general, userIDs: [cat]), as: .user(ann))
                firstVisible = all.count
            }
            let isReply = !parents.isEmpty && random.chance(percent: 40)
            let message = try chat.say(
                "m\(number)", by: random.pick([ann, bob]), to: isReply ? random.pick(parents).id : nil,
                alsoInChannel: isReply ? random.chance(percent: 50) : nil,
                customType: random.chance(percent: 30) ? "note" : nil)
            if !isReply { parents.append(message) }
            all.append(message)
        }
        for _ in 0..<200 {
            let viewer = random.pick([ann, cat])
            var query = ListMessages(
                channelID: general, replies: random.pick([ListMessages.Replies.none, .all, .onlyReplyToChannel]))
            if random.chance(percent: 30) { query.customType = "note" }
            if random.chance(percent: 30) { query.userIDs = [random.pick([ann, bob, cat])] }
            let at = random.pick(all).createdAt + Int64.random(in: -1...1, using: &random)
            let (previous, next) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...6, using: &random))
            query.at = at
            query.previous = previous
            query.next = .size(next)
            query.inclusive = random.chance(percent: 50)
            let visible = viewer == cat ? Array(all[firstVisible...]) : all
            let expected = naive(visible.filter { matches($0, query) }, at, previous, next, query.inclusive ?? true)
            let answer = try chat.ask(query, as: .user(viewer))
            #expect(answer.messages.map(\.text) == expected.messages.map(\.text), "seed \(seed): \(query)")
            #expect(answer.hasPrevious == expected.hasPrevious, "seed \(seed): \(query)")
            #expect(answer.hasNext == expected.hasNext, "seed \(seed): \(query)")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `MS5: the pages for any filter add up to the complete list`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = Chat(seed: seed)
        try chat.create(with: [bob])
        chat.step = 0
        var parents: [Message] = []
        var all: [Message] = []
        for number in 0..<80 {
            let isReply = !parents.isEmpty && random.chance(percent: 50)
            let message = try chat.say(
                "m\(number)", by: random.pick([ann, bob]), to: isReply ? random.pick(parents).id : nil,
                alsoInChannel: isReply ? random.chance(percent: 50) : nil,
                customType: random.chance(percent: 30) ? "note" : nil)
            if !isReply { parents.append(message) }
            all.append(message)
        }
        var query = ListMessages(
            channelID: general, limit: Int.random(in: 1...9, using: &random),
            replies: random.pick([ListMessages.Replies.none, .all, .onlyReplyToChannel]))
        if random.chance(percent: 30) { query.customType = "note" }
        if random.chance(percent: 30) { query.userIDs = [bob] }
        var found: [String] = []
        repeat {
            let page = try chat.ask(query, as: .user(ann))
            found = page.messages.compactMap(\.text) + found
            query.next = page.next.map(SizeOrToken.token)
        } while query.next != nil
        #expect(found == all.filter { matches($0, query) }.compactMap(\.text), "seed \(seed)")
    }

    private func matches(_ message: Message, _ query: ListMessages) -> Bool {
        if let type = query.customType, message.customType != type { return false }
        if let users = query.userIDs, !users.contains(where: { $0 == message.user?.id }) { return false }
        switch query.replies ?? ListMessages.Replies.none {
        case .none: return message.parentMessageID == nil
        case .all: return true
        case .onlyReplyToChannel: return message.parentMessageID == nil || message.replyToChannel == true
        }
    }

    private func naive(
        _ messages: [Message], _ at: Int64, _ previous: Int, _ next: Int, _ inclusive: Bool
    ) -> (messages: [Message], hasPrevious: Bool, hasNext: Bool) {
        let older = messages.filter { $0.createdAt < at }
        let newer = messages.filter { $0.createdAt > at }
        var takenOlder = Array(older.suffix(previous))
        if let edge = takenOlder.first?.createdAt { takenOlder = older.filter { $0.createdAt >= edge } }
        var takenNewer = Array(newer.prefix(next))
        if let edge = takenNewer.last?.createdAt { takenNewer = newer.filter { $0.createdAt <= edge } }
        let middle = inclusive ? messages.filter { $0.createdAt == at } : []
        return (
            takenOlder + middle + takenNewer, takenOlder.count < older.count, takenNewer.count < newer.count
        )
    }
}
