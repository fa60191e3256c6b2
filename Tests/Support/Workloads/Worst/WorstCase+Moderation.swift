import ChatDomain
import ChatModel

extension WorstCase {
    /// The last user, who has blocked as many as one may.
    private static func blocker(_ chat: WorstChat) -> UserID { Worst.person(chat.scale.people - 1) }

    private static func blocked(_ chat: WorstChat) -> [UserID] {
        (0..<min(FieldLimits.blockedUsers, chat.scale.people - 1)).map(Worst.person)
    }

    private static func muted(_ number: Int) -> Event {
        .memberMuted(
            Event.Sanctioned(
                channel: Worst.hall(1), user: Worst.person(40 + number % 50), until: 253_402_300_799_000,
                description: Worst.description))
    }

    /// Creates a report with a long description.
    private static func report(_ chat: inout WorstChat) -> String {
        let id = chat.freshID()
        let created = Event.ReportCreated(
            id: id, category: .spam, description: Worst.description, target: .user(ann), by: Worst.person(151))
        chat.apply([.reportCreated(created)])
        return id.description
    }

    static var moderation: [WorstCase] {
        [
            .change("a user who has blocked 10,000") { chat, number in
                let (blocker, users) = (blocker(chat), blocked(chat))
                if number == 0 { chat.apply(users.map { .userBlocked($0, by: blocker) }) }
                chat.apply([.userUnblocked(users[number], by: blocker)])
                return (BlockUser(userID: users[number]), blocker)
            },
            .query("100 of 10,000") { chat, _ in (ListBlocked(limit: FieldLimits.pageSize), blocker(chat)) },
            .change("a user who has blocked 10,000") { chat, number in
                (UnblockUser(userID: blocked(chat)[number]), blocker(chat))
            },
            .query("a beginning of all nicknames") { _, _ in
                (SearchUsers(query: Worst.text(Worst.wide, bytes: 100), limit: FieldLimits.pageSize), ann)
            },
            .change("one of 20,000 members") { chat, number in
                (RemoveMember(channelID: Worst.hall(4), userID: Worst.person(chat.scale.people / 2 + number)), nil)
            },
            .query("100 of 500 actions, with the longest reasons") { chat, number in
                if number == 0 { chat.apply((0..<FieldLimits.moderationLogOfChannel).map(muted), by: ann) }
                return (ListMemberModeration(channelID: Worst.hall(1), limit: FieldLimits.pageSize), ann)
            },
            .query("100 of 10,000 actions") { _, _ in (ListAppModeration(limit: FieldLimits.pageSize), nil) },
            .change("one of 100,000 reports") { chat, _ in
                (ResolveReport(reportID: report(&chat), note: Worst.description), nil)
            },
            .change("one of 100,000 reports") { chat, _ in
                (DismissReport(reportID: report(&chat), note: Worst.description), nil)
            },
            .change("one of 100,000 reports") { chat, _ in (DeleteReport(reportID: report(&chat)), nil) },
        ] + ofTheApp + roles + textRules
    }

    private static var ofTheApp: [WorstCase] {
        [
            .change("a member of 2,000 channels") { _, number in
                (BanUser(userID: Worst.person(number), description: Worst.description), nil)
            },
            .query("all sanctions of the app") { _, _ in (ListBannedUsers(limit: FieldLimits.pageSize), nil) },
            .change("a member of 2,000 channels") { _, number in (UnbanUser(userID: Worst.person(number)), nil) },
            .change("a member of 2,000 channels") { _, number in
                (MuteUser(userID: Worst.person(number), description: Worst.description), nil)
            },
            .query("all sanctions of the app") { _, _ in (ListMutedUsers(limit: FieldLimits.pageSize), nil) },
            .change("a member of 2,000 channels") { _, number in (UnmuteUser(userID: Worst.person(number)), nil) },
        ]
    }

    /// Roles for as many types of channels as possible, none of which a channel has.
    private static var roles: [WorstCase] {
        [
            .change("the 100th type of channels") { _, number in
                (SetRole(customType: "type-\(99 - number)", preset: .livestream), nil)
            },
            .query("100 types of channels") { chat, number in
                for type in 0..<(number == 0 ? 95 : 0) {
                    _ = try chat.measure(SetRole(customType: "type-\(type)", preset: .livestream), as: .server)
                }
                return (ListRoles(), nil)
            },
        ]
    }

    /// Rules that hold in no channel of the chat, so that they do not change what other commands cost.
    private static func rules(_ numbers: Range<Int>) -> [TextRuleDefinition] {
        numbers.map { number in
            TextRuleDefinition(
                id: "rule-\(number)", words: ["word\(number)", "other\(number)*"], action: .refuse,
                customTypes: ["ruled"])
        }
    }

    /// Sets what is missing of as many rules as an app may have, but for those with the first numbers.
    private static func setRules(_ chat: inout WorstChat, but count: Int = 0) {
        chat.apply([.textRulesSet(rules(count..<chat.scale.people / 2))])
    }

    private static var textRules: [WorstCase] {
        [
            .change("250 of 10,000", runs: 1) { chat, _ in
                let count = chat.scale.people / 80
                setRules(&chat, but: count)
                return (SetTextRules(rules: rules(0..<count)), nil)
            },
            .query("100 of 10,000") { chat, number in
                if number == 0 { setRules(&chat) }
                return (ListTextRules(limit: FieldLimits.pageSize), nil)
            },
            .query("10,000 rules, the longest text") { chat, number in
                if number == 0 { setRules(&chat) }
                return (TestTextRules(text: Worst.text("word other ", bytes: 16_384), customType: "ruled"), nil)
            },
            .change("250 of 10,000", runs: 1) { chat, _ in
                setRules(&chat)
                return (DeleteTextRules(ids: rules(0..<chat.scale.people / 80).map(\.id)), nil)
            },
        ]
    }
}
