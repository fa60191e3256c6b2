import ChatDomain
import ChatModel

extension WorstCase {
    /// Creates a super channel with space for as many users as one command names, for each run.
    private static func almostFull(_ chat: inout WorstChat, _ kind: String, _ number: Int) -> ChannelID {
        let id = Worst.channel(kind, number)
        chat.buildHall(id, people: max(0, chat.scale.people - FieldLimits.idsPerCommand))
        return id
    }

    private static func named(_ chat: WorstChat) -> [UserID] {
        (0..<min(FieldLimits.idsPerCommand, chat.scale.people)).map(Worst.person)
    }

    static var people: [WorstCase] {
        [
            .change("250 users fill a channel of 20,000", runs: 3) { chat, number in
                let id = almostFull(&chat, "invite", number)
                return (
                    InviteToChannel(channelID: id, userIDs: outsiders(chat, 0..<FieldLimits.idsPerCommand)), nil
                )
            },
            .change("250 users who have to accept", runs: 3) { chat, number in
                let id = almostFull(&chat, "asked", number)
                let people = outsiders(chat, 0..<FieldLimits.idsPerCommand)
                chat.apply(people.map { .preferencesChanged($0, autoAcceptInvitations: false) })
                return (InviteToChannel(channelID: id, userIDs: people), nil)
            },
            .change("250 users fill a channel of 20,000", runs: 3) { chat, number in
                let id = almostFull(&chat, "add", number)
                return (AddMembers(channelID: id, userIDs: outsiders(chat, 0..<FieldLimits.idsPerCommand)), nil)
            },
            .change("250 of 20,000 members") { chat, _ in
                chat.apply(named(chat).map { .operatorRemoved(Worst.hall(3), $0) })
                return (AddOperators(channelID: Worst.hall(3), userIDs: named(chat)), nil)
            },
            .change("250 of 20,000 members") { chat, _ in
                chat.apply(named(chat).map { .operatorAdded(Worst.hall(3), $0) })
                return (RemoveOperators(channelID: Worst.hall(3), userIDs: named(chat)), nil)
            },
            .change("250 of 20,000 members") { chat, _ in
                chat.apply(named(chat).map { .operatorAdded(Worst.hall(3), $0) })
                return (RemoveAllOperators(channelID: Worst.hall(3)), nil)
            },
            .query("100 of 250") { _, _ in
                (ListOperators(channelID: Worst.hall(0), limit: FieldLimits.pageSize), ann)
            },
            .query("20,000 members, operators first, a prefix that all match") { _, _ in
                (
                    ListMembers(
                        channelID: Worst.hall(0), limit: FieldLimits.pageSize, order: .operatorThenNickname,
                        nicknamePrefix: Worst.text(Worst.wide, bytes: 100)), ann
                )
            },
            .query("20,000 members, all muted") { _, _ in
                (ListMembers(channelID: Worst.hall(1), limit: FieldLimits.pageSize, muted: true), ann)
            },
        ]
    }

    static var sanctions: [WorstCase] {
        [
            .change("a channel with 20,000 bans") { chat, number in
                chat.apply([.memberUnbanned(Worst.hall(1), Worst.person(chat.scale.people + number))])
                return (
                    BanMember(
                        channelID: Worst.hall(1), userID: Worst.person(30 + number), description: Worst.description),
                    nil
                )
            },
            .change("a channel with 20,000 bans") { _, number in
                (UnbanMember(channelID: Worst.hall(1), userID: Worst.person(30 + number)), nil)
            },
            .query("100 of 20,000") { _, _ in
                (ListBanned(channelID: Worst.hall(1), limit: FieldLimits.pageSize), ann)
            },
            .change("a channel with 20,000 mutes") { _, number in
                (
                    MuteMember(
                        channelID: Worst.hall(1), userID: Worst.person(40 + number), description: Worst.description),
                    nil
                )
            },
            .change("a channel with 20,000 mutes") { _, number in
                (UnmuteMember(channelID: Worst.hall(1), userID: Worst.person(40 + number)), nil)
            },
            .query("100 of 20,000") { _, _ in
                (ListMuted(channelID: Worst.hall(1), limit: FieldLimits.pageSize), ann)
            },
        ]
    }
}
