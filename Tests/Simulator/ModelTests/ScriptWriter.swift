import ChatDomain
import ChatModel
import TestSupport

/// Writes commands, most of which make sense in the current world.
struct ScriptWriter {
    var random: SeededGenerator
    var serial: UInt64 = 0

    /// Whether guests appear too. A live server chooses their ids, which scripts cannot know.
    let hasGuests: Bool

    /// Whether messages end; a live server has its own clock.
    let hasTime: Bool

    init(seed: UInt64, hasGuests: Bool, hasTime: Bool) {
        random = SeededGenerator(seed: seed &+ 0x5EED)
        self.hasGuests = hasGuests
        self.hasTime = hasTime
    }

    static let strangers = ["fay", "gus"].compactMap { UserID($0) }
    static let guests = [UserID.guest(1, 1), .guest(1, 2)]

    mutating func next(in model: NaiveChat) -> Step {
        serial += 1
        let id = random.pick(Cast.channels)
        let channel = model.channels[id]
        // A deactivated user soon returns, as otherwise little would happen.
        let shutOut = Cast.people.filter { model.people[$0]?.isActive == false }
        let isModeration = random.chance(percent: 25)
        let user = actor(in: channel, asOperator: isModeration)
        let request: any Request
        if random.chance(percent: shutOut.isEmpty ? 1 : 10) {
            let back = random.pick(shutOut + [person()])
            request = shutOut.isEmpty ? DeactivateUser(userID: person()) : ActivateUser(userID: back)
        } else if channel == nil, random.chance(percent: 70) {
            request = creation(of: id, by: user)
        } else if random.chance(percent: 6) {
            request = bringing(id)
        } else if isModeration {
            request = moderation(of: id, channel)
        } else if random.chance(percent: 30) {
            request = membership(of: id, by: user)
        } else {
            request = replaced(talk(in: id, channel))
        }
        return Step(
            serial: serial, user: isServers(request) ? nil : user, pause: random.pick([0, 0, 1, 1, 1, 400, 1_000]),
            request: request)
    }

    private func isServers(_ request: any Request) -> Bool {
        request is UpsertUsers || request is UpsertChannels || request is AddMembers || request is RevokeTokens
            || request is AdmitGuest || request is UpsertUser || request is CreateEmoji || request is DeleteEmoji
            || request is DeactivateUser || request is DeleteUser
            || request is ActivateUser || request is ListAllUsers || request is SetRetention
            || request is ExportChannel || request is BanUser || request is UnbanUser || request is MuteUser
            || request is UnmuteUser || request is ListBannedUsers || request is ListMutedUsers
            || request is SetTextRules || request is DeleteTextRules || request is SetRole || request is SetHook
            || request is GetHook || request is DisconnectUser
    }

    mutating func actor(in channel: NaiveChannel?, asOperator: Bool) -> UserID? {
        if random.chance(percent: 6) { return nil }
        if hasGuests, random.chance(percent: 8) { return random.pick(Self.guests) }
        let inside = Cast.people.filter { channel?.joined[$0] != nil }
        let operators = inside.filter { channel?.joined[$0]?.role == .operator }
        if asOperator, !operators.isEmpty, random.chance(percent: 75) { return random.pick(operators) }
        if !inside.isEmpty, random.chance(percent: 70) { return random.pick(inside) }
        return random.pick(Cast.people)
    }

    mutating func person() -> UserID {
        if hasGuests, random.chance(percent: 8) { return random.pick(Self.guests) }
        return random.chance(percent: 4) ? random.pick(Self.strangers) : random.pick(Cast.people)
    }

    mutating func persons(percent: Int) -> [UserID] {
        var ids = Cast.people.filter { _ in random.chance(percent: percent) }
        if random.chance(percent: hasGuests ? 10 : 3) { ids.append(person()) }
        ids.shuffle(using: &random)
        return ids
    }

    mutating func maybe<Value>(_ percent: Int, _ values: [Value]) -> Value? {
        random.chance(percent: percent) ? random.pick(values) : nil
    }

    mutating func creation(of id: ChannelID, by user: UserID?) -> any Request {
        CreateChannel(
            id: id, name: maybe(50, ["Tea", "Code", "Äther", "bad\u{202E}"]), userIDs: persons(percent: 35),
            operatorUserIDs: random.chance(percent: 60) ? persons(percent: 15) + (user.map { [$0] } ?? []) : nil,
            isPublic: maybe(60, [true, false]), isDistinct: maybe(50, [true, true, false]),
            isSuper: maybe(30, [true, false]), coverURL: maybe(10, ["/c.png", "javascript:x"]), data: maybe(20, ["d"]),
            customType: maybe(40, ["a", "b"]), metadata: maybe(20, [["k": "1"], ["": "1"], ["k": "1", "l": "2"]]),
            isEphemeral: maybe(15, [true, false]))
    }

    mutating func membership(of id: ChannelID, by user: UserID?) -> any Request {
        switch Int.random(in: 0..<33, using: &random) {
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
                id: person(), nickname: maybe(60, ["Zoe", "amy", "AMY", "Émile", "bad\n"]),
                profileURL: maybe(30, ["https://x/1", "ftp://x"]), metadata: maybe(30, [["m": "1"], [:]]))
        case 20: GetUser(userID: maybe(70, Cast.people + Self.strangers))
        case 21: ListEmojis()
        case 22: ListUsers(userIDs: persons(percent: 60), limit: maybe(60, [1, 2, 3]))
        case 23: ListAllUsers(limit: maybe(60, [1, 2, 3]), nicknamePrefix: maybe(30, ["a", "", "B"]))
        case 24, 25: publicChannels()
        case 27: random.chance(2) ? BlockUser(userID: person()) : UnblockUser(userID: person())
        case 28: ListBlocked(limit: maybe(40, [1, 2]))
        case 26: ExportUser(userID: random.chance(percent: 60) ? user ?? person() : person())
        default: channels()
        }
    }

    mutating func moderation(of id: ChannelID, _ channel: NaiveChannel?) -> any Request {
        switch Int.random(in: 0..<34, using: &random) {
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
        case 33: RemoveMember(channelID: id, userID: person())
        case 32: ExportChannel(channelID: id)
        case 25, 26, 27:
            UpdateChannel(
                channelID: id, name: maybe(30, ["Tea", "Chai", "Öl", ""]), coverURL: maybe(20, ["/d.png", ""]),
                data: maybe(20, ["e", ""]), customType: maybe(30, ["a", "b", ""]), isPublic: maybe(20, [true, false]),
                isSuper: maybe(20, [true, false]), isDistinct: maybe(20, [true, false, false]),
                messageSeconds: hasTime ? maybe(15, [0, 0, 1, 30, -1]) : nil,
                slowModeSeconds: hasTime ? maybe(25, [0, 1, 1, 2, -1]) : nil)
        case 28:
            SetChannelMetadata(channelID: id, metadata: random.pick([["k": "2"], ["l": "3", "m": ""], [:]]))
        case 29: DeleteChannelMetadata(channelID: id, keys: random.pick([["k"], ["l", "l", "x"], []]))
        case 30: random.chance(2) ? DeleteChannel(channelID: id) : GetChannel(channelID: id)
        default: random.chance(2) ? emoji() : ListEmojis()
        }
    }

    /// Returns a bulk command of the app's backend.
    mutating func bringing(_ id: ChannelID) -> any Request {
        if hasTime, random.chance(8) {
            return SetRetention(
                channelID: id, maxAgeSeconds: maybe(40, [0, 5, 60, -1]), maxMessages: maybe(50, [0, 3, 10]))
        }
        if hasTime, random.chance(12) {
            return DeleteUser(userID: person(), deleteMessages: maybe(50, [true, false]))
        }
        if hasTime, random.chance(10) { return appSanction() }
        if hasTime, random.chance(12) { return role() }
        if hasTime, random.chance(40) { return hook() }
        if random.chance(30) { return textRules() }
        return switch Int.random(in: 0..<10, using: &random) {
        case 0:
            UpsertUsers(
                users: persons(percent: 30).map {
                    UpsertUser(
                        id: $0, nickname: maybe(50, ["Zoe", "amy", "ämy", "Bo", "bad\n"]),
                        metadata: maybe(20, [["m": "2"]]))
                })
        case 1: RevokeTokens(userID: person(), before: maybe(50, [0, 1, 2, 61, 100, -1]))
        case 2, 3, 4: AddMembers(channelID: id, userIDs: persons(percent: 35))
        case 5 where hasGuests:
            AdmitGuest(id: random.pick(Self.guests), nickname: maybe(50, ["Gus", "bad\n"]))
        case 6 where hasGuests: AdmitGuest(id: random.pick(Self.guests), nickname: nil)
        default: UpsertChannels(channels: channelUpserts())
        }
    }

    private mutating func channelUpserts() -> [ChannelUpsert] {
        var ids = Cast.channels.filter { _ in random.chance(percent: 50) }
        if let first = ids.first, random.chance(percent: 5) { ids.append(first) }
        return ids.map { id in
            ChannelUpsert(
                id: id, name: maybe(40, ["Tea", "Code", "", "bad\u{202E}"]),
                userIDs: random.chance(percent: 80) ? persons(percent: 20) : nil,
                operatorUserIDs: random.chance(percent: 40) ? persons(percent: 15) : nil,
                isPublic: maybe(40, [true, true, false]), isSuper: maybe(20, [true, false]),
                isEphemeral: maybe(6, [true, false]), coverURL: maybe(15, ["/c.png", "", "javascript:x"]),
                data: maybe(20, ["d", ""]), customType: maybe(25, ["a", "b", ""]),
                metadata: maybe(20, [["k": "1"], ["": "1"], [:]]), takeOver: maybe(60, [true, true, false]))
        }
    }

    mutating func emoji() -> any Request {
        let key = random.pick(["sob", "party", "rage"])
        return random.chance(2) ? CreateEmoji(key: key, character: "x") : DeleteEmoji(key: key)
    }
}
