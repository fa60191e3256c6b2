import ChatModel

extension ScriptWriter {
    /// Returns a message of the channel, mostly a recent one, sometimes one that does not exist.
    private mutating func message(of channel: NaiveChannel?) -> MessageID {
        guard let channel, !channel.messages.isEmpty, !random.chance(percent: 4) else {
            return Step.id(UInt64.random(in: 0...serial, using: &random))
        }
        let recent = channel.messages.suffix(random.chance(percent: 60) ? 5 : 1_000)
        return random.pick(Array(recent)).id
    }

    mutating func talk(in id: ChannelID, _ channel: NaiveChannel?) -> any Request {
        let message = message(of: channel)
        let time = channel.flatMap { channel in channel.messages.isEmpty ? nil : random.pick(channel.messages).at }
        switch Int.random(in: 0..<51, using: &random) {
        case 0..<9: return sending(to: id, parent: nil)
        case 9..<16: return sending(to: id, parent: message)
        case 16, 17: return GetMessage(channelID: id, messageID: message)
        case 18, 19, 20:
            return UpdateMessage(
                channelID: id, messageID: message, text: maybe(70, ["hi", "hello", ""]),
                customType: maybe(30, ["a", ""]), data: maybe(20, ["d", ""]),
                mentionType: maybe(15, [.channel, .users]), mentionedUserIDs: mentioned())
        case 21, 22, 23: return DeleteMessage(channelID: id, messageID: message)
        case 24..<31:
            let key = random.pick(["sob", "sob", "rage", "party", "none"])
            if random.chance(percent: 40) { return RemoveReaction(channelID: id, messageID: message, key: key) }
            return AddReaction(channelID: id, messageID: message, key: key)
        case 31:
            return ListReactionUsers(
                channelID: id, messageID: message, key: random.pick(["sob", "none"]), limit: maybe(50, [1, 2]))
        case 32..<35: return replies(id, message, time)
        case 35..<38: return listing(id, message, time)
        case 50:
            return SearchMessages(
                channelID: maybe(50, [id]), query: random.pick(["h*", "hi", "HEL*", "o", " ", "none", "HELLO"]),
                limit: maybe(60, [1, 2, 3]))
        case 38..<44: return threads(id, channel)
        default: return reading(id, message)
        }
    }

    private mutating func reading(_ id: ChannelID, _ message: MessageID) -> any Request {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: MarkAllRead()
        case 1, 2: GetUnreadCounts()
        case 12: ResetHistory(channelID: id)
        case 13, 14:
            HideChannel(
                channelID: id, hidePreviousMessages: maybe(40, [true, false]),
                allowAutoUnhide: maybe(60, [true, false])
            )
        case 15: UnhideChannel(channelID: id)
        case 3, 4, 5, 6: MarkRead(channelID: id, messageID: random.chance(2) ? message : nil)
        case 7, 8, 9: MarkUnread(channelID: id, messageID: message)
        default: ListReceipts(channelID: id, messageID: message, limit: maybe(50, [1, 2]))
        }
    }

    private mutating func sending(to id: ChannelID, parent: MessageID?) -> any Request {
        SendMessage(
            channelID: id, text: random.pick(["hi", "hi", "hello", "hi", "hello", random.chance(10) ? "" : "ho"]),
            clientID: maybe(30, ["x", "y", "z\(serial)"]), kind: maybe(5, [.text, .admin]), parentMessageID: parent,
            replyToChannel: maybe(parent == nil ? 2 : 30, [true, false]), customType: maybe(20, ["a", "b"]),
            data: maybe(5, ["d"]), mentionType: maybe(15, [.channel, .users]), mentionedUserIDs: mentioned(),
            expiresInSeconds: hasTime ? maybe(8, [0, 1, 3, 20]) : nil)
    }

    private mutating func mentioned() -> [UserID]? { random.chance(percent: 20) ? persons(percent: 25) : nil }

    /// Returns a request for a thread, mostly an existing one with one of its replies.
    private mutating func threads(_ id: ChannelID, _ channel: NaiveChannel?) -> any Request {
        var parent = message(of: channel)
        var reply = message(of: channel)
        let replies = channel?.messages.filter { $0.parent != nil } ?? []
        if !replies.isEmpty, random.chance(percent: 85) {
            let picked = random.pick(Array(replies.suffix(random.chance(2) ? 4 : 1_000)))
            parent = picked.parent ?? parent
            if random.chance(percent: 90) { reply = picked.id }
        }
        return switch Int.random(in: 0..<12, using: &random) {
        case 10, 11:
            ListThreads(
                limit: maybe(70, [1, 2, 3, 0]), replyLimit: maybe(50, [0, 1]), participantLimit: maybe(50, [0, 1]))
        case 0, 1, 2:
            MarkThreadRead(channelID: id, parentMessageID: parent, messageID: random.chance(2) ? reply : nil)
        case 3, 4, 5: MarkThreadUnread(channelID: id, parentMessageID: parent, messageID: reply)
        case 6, 7:
            UpdateThread(
                channelID: id, parentMessageID: parent, title: maybe(60, ["t", "u", "", "bad\n"]),
                data: maybe(30, ["d", ""]))
        default:
            GetThread(
                channelID: id, parentMessageID: parent, replyLimit: maybe(50, [0, 1, 2, -1]),
                participantLimit: maybe(50, [0, 1, 2]))
        }
    }

    private mutating func replies(_ id: ChannelID, _ parent: MessageID, _ time: Int64?) -> any Request {
        let byTime = random.chance(percent: 25)
        let byMessage = !byTime && random.chance(percent: 25)
        return ListReplies(
            channelID: id, parentMessageID: parent, at: byTime ? time : nil,
            messageID: byMessage ? Step.id(UInt64.random(in: 0...serial, using: &random)) : nil,
            previous: maybe(40, [0, 1, 2]), next: maybe(40, [0, 1, 2]), inclusive: maybe(30, [true, false]),
            reverse: maybe(20, [true]), kind: maybe(20, [.text, .text, .admin]),
            includeParent: maybe(40, [true, false]))
    }

    private mutating func listing(_ id: ChannelID, _ message: MessageID, _ time: Int64?) -> any Request {
        let anchor = Int.random(in: 0..<3, using: &random)
        let at = anchor == 1 ? time : nil
        let messageID = anchor == 2 ? message : nil
        let isPaged = at == nil && messageID == nil
        return ListMessages(
            channelID: id, at: at, messageID: messageID, previous: isPaged ? nil : maybe(60, [0, 1, 3]),
            next: isPaged ? nil : maybe(60, [0, 1, 3]), limit: isPaged ? maybe(60, [1, 3, 5]) : nil,
            inclusive: isPaged ? nil : maybe(40, [true, false]), reverse: maybe(20, [true]),
            kind: maybe(15, [.text, .admin]), customType: maybe(15, ["a", "b"]),
            userIDs: random.chance(percent: 15) ? persons(percent: 40) : nil,
            replies: maybe(60, [.none, .all, .onlyReplyToChannel]), includeThread: maybe(50, [true, false]),
            includeParent: maybe(50, [true, false]), includeReactions: maybe(50, [true, false]),
            includeDeleted: maybe(40, [true, false]))
    }
}
