import ChatDomain
import ChatModel
import TestSupport
import Testing

/// A naive model of a channel: sets of names and lists of texts, without any code of the domain.
private struct NaiveChannel {
    var isPublic: Bool
    /// The members, with the number of messages hidden from each.
    var joined: [UserID: Int]
    var invited: Set<UserID> = []
    var texts: [String] = []
    /// The texts that each user should have received live since the beginning.
    var heard: [UserID: [String]] = [:]
}

private struct NaiveChat {
    var channels: [ChannelID: NaiveChannel] = [:]
    var asksFirst: Set<UserID> = []
    var hidesHistory: Bool
    let channelsPerUser: Int
    let places: Int

    func isFull(_ user: UserID) -> Bool {
        channels.values.count { $0.joined[user] != nil } >= channelsPerUser
    }

    mutating func enter(_ user: UserID, _ id: ChannelID) {
        guard var channel = channels[id] else { return }
        channel.invited.remove(user)
        channel.joined[user] = hidesHistory ? channel.texts.count : 0
        channels[id] = channel
    }

    mutating func admit(_ user: UserID, _ id: ChannelID) {
        guard let channel = channels[id], channel.joined[user] == nil, !channel.invited.contains(user) else { return }
        guard channel.joined.count + channel.invited.count < places, !isFull(user) else { return }
        if asksFirst.contains(user) { channels[id]?.invited.insert(user) } else { enter(user, id) }
    }
}

@Suite struct RandomHistoryTests {
    static let people: [UserID] = [ann, bob, cat, dan, eve]
    static let ids: [ChannelID] = ["c1", "c2", "c3", "c4"]

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `members, messages and received events match a naive model after any commands`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var settings = ChatSettings()
        settings.channelsPerUser = 3
        settings.membersPerChannel = 4
        settings.historyVisibleToNewcomers = random.chance(percent: 50)
        var chat = Chat(Self.people, settings: settings, seed: seed)
        var model = NaiveChat(
            hidesHistory: !settings.historyVisibleToNewcomers, channelsPerUser: 3, places: 4)
        var lastMessage: [ChannelID: MessageID] = [:]
        for step in 0..<150 {
            chat.step = Int64.random(in: 0...1, using: &random)
            let user = random.pick(Self.people)
            let id = random.pick(Self.ids)
            let codes = act(user, id, step, &random, &chat, &model, &lastMessage)
            #expect(codes.got == codes.expected, "seed \(seed), step \(step): \(user) in \(id), choice \(codes.choice)")
            if step % 10 == 9 { try compare(&chat, model, seed) }
        }
        try compare(&chat, model, seed)
        _ = tops(chat.records)
        #expect(
            chat.replayed.snapshot(users: Self.people, channels: Self.ids)
                == chat.state.snapshot(users: Self.people, channels: Self.ids), "seed \(seed)")
    }

    private func act(
        _ user: UserID, _ id: ChannelID, _ step: Int, _ random: inout SeededGenerator, _ chat: inout Chat,
        _ model: inout NaiveChat, _ lastMessage: inout [ChannelID: MessageID]
    ) -> (got: ErrorCode?, expected: ErrorCode?, choice: Int) {
        let choice = Int.random(in: 0..<14, using: &random)
        let channel = model.channels[id]
        let isJoined = channel?.joined[user] != nil
        let isInvited = channel?.invited.contains(user) ?? false
        let isVisible = channel.map { $0.isPublic || isJoined || isInvited } ?? false
        // The error for a user who is not in the channel.
        let outside: ErrorCode? =
            !isVisible ? .notFound : isInvited ? .invitedNotMember : isJoined ? nil : .notAMember
        switch choice {
        case 0:
            let isPublic = random.chance(percent: 50)
            let others = Self.people.filter { _ in random.chance(percent: 30) }
            let got = chat.refusal(
                of: CreateChannel(id: id, userIDs: others, isPublic: isPublic), as: .user(user))
            guard channel == nil else { return (got, .duplicateChannelID, choice) }
            let named = others.filter { $0 != user }
            guard named.count + 1 <= model.places else { return (got, .memberLimit, choice) }
            guard !model.isFull(user) else { return (got, .channelLimit, choice) }
            model.channels[id] = NaiveChannel(isPublic: isPublic, joined: [user: 0])
            for other in named { model.admit(other, id) }
            return (got, nil, choice)
        case 1, 2:
            let others = Self.people.filter { _ in random.chance(percent: 40) }
            let got = chat.refusal(of: InviteToChannel(channelID: id, userIDs: others), as: .user(user))
            if let outside { return (got, outside, choice) }
            guard !others.isEmpty else { return (got, .invalidValue, choice) }
            for other in others { model.admit(other, id) }
            return (got, nil, choice)
        case 3, 4, 5:
            let accepts = choice == 3
            let got =
                accepts
                ? chat.refusal(of: AcceptInvitation(channelID: id), as: .user(user))
                : chat.refusal(of: JoinChannel(channelID: id), as: .user(user))
            guard let channel, isVisible else { return (got, .notFound, choice) }
            guard !isJoined else { return (got, .alreadyAMember, choice) }
            guard isInvited || !accepts else { return (got, .noInvitation, choice) }
            guard !model.isFull(user) else {
                model.channels[id]?.invited.remove(user)
                return (got, .channelLimit, choice)
            }
            guard isInvited || channel.joined.count + channel.invited.count < model.places else {
                return (got, .memberLimit, choice)
            }
            model.enter(user, id)
            return (got, nil, choice)
        case 6:
            let got = chat.refusal(of: DeclineInvitation(channelID: id), as: .user(user))
            guard isVisible else { return (got, .notFound, choice) }
            guard !isJoined else { return (got, .alreadyAMember, choice) }
            guard isInvited else { return (got, .noInvitation, choice) }
            model.channels[id]?.invited.remove(user)
            return (got, nil, choice)
        case 7:
            let got = chat.refusal(of: LeaveChannel(channelID: id), as: .user(user))
            if outside == nil { model.channels[id]?.joined[user] = nil }
            return (got, outside, choice)
        case 8:
            let asks = random.chance(percent: 50)
            let got = chat.refusal(of: UpdatePreferences(autoAcceptInvitations: !asks), as: .user(user))
            if asks { model.asksFirst.insert(user) } else { model.asksFirst.remove(user) }
            return (got, nil, choice)
        default:
            let request = SendMessage(channelID: id, text: "m\(step)", clientID: "c\(step)")
            let got = chat.refusal(of: request, as: .user(user))
            guard outside == nil, var channel else { return (got, outside, choice) }
            channel.texts.append("m\(step)")
            for member in channel.joined.keys { channel.heard[member, default: []].append("m\(step)") }
            model.channels[id] = channel
            #expect(chat.refusal(of: request, as: .user(user)) == nil, "a retry is answered alike")
            #expect(chat.lastRecords.isEmpty)
            return (got, nil, choice)
        }
    }

    private func compare(_ chat: inout Chat, _ model: NaiveChat, _ seed: UInt64) throws {
        for id in Self.ids {
            for user in Self.people {
                let channel = model.channels[id]
                var hidden: Int?
                var isVisible = false
                if let channel {
                    hidden = channel.joined[user]
                    isVisible = channel.isPublic || hidden != nil || channel.invited.contains(user)
                }
                #expect(
                    (chat.refusal(of: GetChannel(channelID: id), as: .user(user)) == nil) == isVisible,
                    "seed \(seed): \(user) sees \(id)")
                let texts = try? chat.texts(for: user, in: id)
                #expect(
                    texts == hidden.map { Array(channel?.texts.dropFirst($0) ?? []) }, "seed \(seed): \(user) in \(id)")
                let heard = chat.heard(by: user).filter { $0.room == .channel(id) }
                #expect(
                    heard.compactMap(\.event.message?.text) == channel?.heard[user] ?? [],
                    "seed \(seed): \(user) heard in \(id)")
                guard isVisible, let channel else { continue }
                let seen = try chat.ask(GetChannel(channelID: id), as: .user(user)).channel
                #expect(seen.joinedMemberCount == channel.joined.count, "seed \(seed)")
                #expect(seen.memberCount == channel.joined.count + channel.invited.count, "seed \(seed)")
            }
        }
    }
}
