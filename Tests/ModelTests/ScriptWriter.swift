import ChatModel
import TestSupport

/// Writes commands that mostly make sense where the world stands, and sometimes do not.
struct ScriptWriter {
    private(set) var random: SeededGenerator
    private var serial: UInt64 = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed &+ 0x5EED) }

    private static let strangers = ["fay", "gus"].compactMap { UserID($0) }

    mutating func next(in model: NaiveChat) -> Step {
        serial += 1
        let id = random.pick(Cast.channels)
        let channel = model.channels[id]
        let isModeration = random.chance(percent: 25)
        let user = actor(in: channel, asOperator: isModeration)
        let request: any Request
        if channel == nil, random.chance(percent: 70) {
            request = creation(of: id, by: user)
        } else if isModeration {
            request = moderation(of: id, channel)
        } else if random.chance(percent: 30) {
            request = membership(of: id, by: user)
        } else {
            request = talk(in: id, channel)
        }
        let isServers = request is UpsertUser || request is CreateEmoji || request is DeleteEmoji
        return Step(
            serial: serial, user: isServers ? nil : user, pause: random.pick([0, 0, 1, 1, 1, 400, 1_000]),
            request: request)
    }

    private mutating func actor(in channel: NaiveChannel?, asOperator: Bool) -> UserID? {
        if random.chance(percent: 6) { return nil }
        let inside = Cast.people.filter { channel?.joined[$0] != nil }
        let operators = inside.filter { channel?.joined[$0]?.role == .operator }
        if asOperator, !operators.isEmpty, random.chance(percent: 75) { return random.pick(operators) }
        if !inside.isEmpty, random.chance(percent: 70) { return random.pick(inside) }
        return random.pick(Cast.people)
    }

    private mutating func person() -> UserID {
        random.chance(percent: 4) ? random.pick(Self.strangers) : random.pick(Cast.people)
    }

    private mutating func persons(percent: Int) -> [UserID] {
        var ids = Cast.people.filter { _ in random.chance(percent: percent) }
        if random.chance(percent: 3) { ids.append(person()) }
        ids.shuffle(using: &random)
        return ids
    }

    private mutating func maybe<Value>(_ percent: Int, _ values: [Value]) -> Value? {
        random.chance(percent: percent) ? random.pick(values) : nil
    }

    private mutating func creation(of id: ChannelID, by user: UserID?) -> any Request {
        CreateChannel(
            id: id, name: maybe(50, ["Tea", "Code", "bad\u{202E}"]), userIDs: persons(percent: 35),
            operatorUserIDs: random.chance(percent: 60) ? persons(percent: 15) + (user.map { [$0] } ?? []) : nil,
            isPublic: maybe(60, [true, false]), isDistinct: maybe(50, [true, true, false]),
            isSuper: maybe(30, [true, false]), coverURL: maybe(10, ["/c.png", "javascript:x"]), data: maybe(20, ["d"]),
            customType: maybe(40, ["a", "b"]), metadata: maybe(20, [["k": "1"], ["": "1"], ["k": "1", "l": "2"]]))
    }

    private mutating func membership(of id: ChannelID, by user: UserID?) -> any Request {
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1, 2, 3: JoinChannel(channelID: id)
        case 4, 5: LeaveChannel(channelID: id)
        case 6, 7, 8, 9: InviteToChannel(channelID: id, userIDs: persons(percent: 35))
        case 10, 11, 12: AcceptInvitation(channelID: id)
        case 13, 14: DeclineInvitation(channelID: id)
        case 15, 16: UpdatePreferences(autoAcceptInvitations: maybe(90, [true, false]))
        case 17: GetChannel(channelID: id)
        case 18: creation(of: id, by: user)
        case 19:
            UpsertUser(
                id: person(), nickname: maybe(60, ["Zoe", "amy", "AMY", "bad\n"]),
                profileURL: maybe(30, ["https://x/1", "ftp://x"]), metadata: maybe(30, [["m": "1"], [:]]))
        case 20: GetUser(userID: maybe(70, Cast.people + Self.strangers))
        default: ListEmojis()
        }
    }

    private mutating func moderation(of id: ChannelID, _ channel: NaiveChannel?) -> any Request {
        switch Int.random(in: 0..<32, using: &random) {
        case 0, 1: FreezeChannel(channelID: id)
        case 2, 3, 4: UnfreezeChannel(channelID: id)
        case 5, 6: AddOperators(channelID: id, userIDs: persons(percent: 30))
        case 7: RemoveOperators(channelID: id, userIDs: persons(percent: 20))
        case 8: random.chance(4) ? RemoveAllOperators(channelID: id) : ListOperators(channelID: id)
        case 9: ListOperators(channelID: id, limit: maybe(50, [0, 1, 2]))
        case 10, 11, 12:
            ListMembers(
                channelID: id, limit: maybe(40, [1, 2, 3]), order: maybe(60, [.nickname, .operatorThenNickname]),
                operatorFilter: maybe(40, [.all, .operator, .nonOperator]), muted: maybe(30, [true, false]),
                nicknamePrefix: maybe(20, ["a", "AM", "z", ""]))
        case 13, 14, 15: BanMember(channelID: id, userID: person(), seconds: maybe(85, [1, 2, 3, 0]))
        case 16, 17, 18:
            MuteMember(
                channelID: id, userID: person(), seconds: maybe(85, [1, 2, 3, -1]), description: maybe(20, ["loud"]))
        case 19, 20: UnbanMember(channelID: id, userID: person())
        case 21, 22: UnmuteMember(channelID: id, userID: person())
        case 23: ListBanned(channelID: id, limit: maybe(40, [1, 2]))
        case 24: ListMuted(channelID: id, limit: maybe(40, [1, 2]))
        case 25, 26, 27:
            UpdateChannel(
                channelID: id, name: maybe(30, ["Tea", "Chai", ""]), coverURL: maybe(20, ["/d.png", ""]),
                data: maybe(20, ["e", ""]), customType: maybe(30, ["a", "b", ""]), isPublic: maybe(20, [true, false]),
                isSuper: maybe(20, [true, false]), isDistinct: maybe(20, [true, false, false]))
        case 28:
            SetChannelMetadata(channelID: id, metadata: random.pick([["k": "2"], ["l": "3", "m": ""], [:]]))
        case 29: DeleteChannelMetadata(channelID: id, keys: random.pick([["k"], ["l", "l", "x"], []]))
        case 30: random.chance(2) ? DeleteChannel(channelID: id) : GetChannel(channelID: id)
        default: random.chance(2) ? emoji() : ListEmojis()
        }
    }

    private mutating func emoji() -> any Request {
        let key = random.pick(["sob", "party", "rage"])
        return random.chance(2) ? CreateEmoji(key: key, character: "x") : DeleteEmoji(key: key)
    }

    /// A message of the channel, mostly one of the last, sometimes one that is not there.
    private mutating func message(of channel: NaiveChannel?) -> MessageID {
        guard let channel, !channel.messages.isEmpty, !random.chance(percent: 4) else {
            return Step.id(UInt64.random(in: 0...serial, using: &random))
        }
        let recent = channel.messages.suffix(random.chance(percent: 60) ? 5 : 1_000)
        return random.pick(Array(recent)).id
    }

    private mutating func talk(in id: ChannelID, _ channel: NaiveChannel?) -> any Request {
        let message = message(of: channel)
        let time = channel.flatMap { channel in channel.messages.isEmpty ? nil : random.pick(channel.messages).at }
        switch Int.random(in: 0..<44, using: &random) {
        case 0..<9: return sending(to: id, parent: nil)
        case 9..<16: return sending(to: id, parent: message)
        case 16, 17: return GetMessage(channelID: id, messageID: message)
        case 18, 19, 20:
            return UpdateMessage(
                channelID: id, messageID: message, text: maybe(70, ["hi", "hello", ""]),
                customType: maybe(30, ["a", ""]), data: maybe(20, ["d", ""]))
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
        default: return reading(id, message)
        }
    }

    private mutating func reading(_ id: ChannelID, _ message: MessageID) -> any Request {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: MarkAllRead()
        case 1, 2: GetUnreadCounts()
        case 12: ResetHistory(channelID: id)
        case 13: HideChannel(channelID: id, hidePreviousMessages: maybe(60, [true, false]))
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
            data: maybe(5, ["d"]))
    }

    private mutating func replies(_ id: ChannelID, _ parent: MessageID, _ time: Int64?) -> any Request {
        let byTime = random.chance(percent: 25)
        let byMessage = !byTime && random.chance(percent: 25)
        return ListReplies(
            channelID: id, parentMessageID: parent, at: byTime ? time : nil,
            messageID: byMessage ? Step.id(UInt64.random(in: 0...serial, using: &random)) : nil,
            previous: maybe(40, [0, 1, 2]), next: maybe(40, [0, 1, 2]), inclusive: maybe(30, [true, false]),
            reverse: maybe(20, [true]))
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
