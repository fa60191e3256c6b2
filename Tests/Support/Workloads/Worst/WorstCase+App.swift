import ChatDomain
import ChatModel

extension WorstCase {
    static var app: [WorstCase] {
        [
            .query("500 emojis, all fields at their limits") { _, _ in (ListEmojis(), ann) },
            .change("the 500th emoji") { chat, number in
                chat.apply([.emojiDeleted(Emoji(key: Worst.emoji(FieldLimits.emojis - 8 - number)))])
                return (CreateEmoji(key: "new-\(number)", url: Worst.url), nil)
            },
            .change("one of 500 emojis") { _, number in (DeleteEmoji(key: "new-\(number)"), nil) },
            .signal("announced in a channel of 100") { _, number in
                (StartTyping(channelID: Worst.room(number)), ann)
            },
            .signal("announced in a channel of 100") { _, number in (StopTyping(channelID: Worst.room(number)), ann) },
            .change("the 100,000th report", runs: 1) { chat, _ in
                let categories = ReportCategory.allCases
                for begin in stride(from: 0, to: chat.scale.reports - 1, by: 1_000) {
                    let count = min(1_000, chat.scale.reports - 1 - begin)
                    chat.apply(
                        (begin..<begin + count).map { number in
                            .reportCreated(
                                Event.ReportCreated(
                                    id: chat.freshID(), category: categories[number % 4],
                                    description: Worst.description,
                                    target: .user(Worst.person(number / 4 % chat.scale.people)),
                                    by: Worst.person(begin / 1_000)))
                        })
                }
                return (
                    CreateReport(
                        category: .spam, description: Worst.description, channelID: Worst.hall(0),
                        messageID: chat.reacted), Worst.person(150)
                )
            },
            .query("100 of 100,000") { _, _ in (ListReports(limit: FieldLimits.pageSize), nil) },
            .change("") { _, number in
                (
                    SetHook(
                        url: Worst.url, secret: Worst.text("t", bytes: 250) + "\(number)", onFailure: .refuse), nil
                )
            },
            .query("") { _, _ in (GetHook(), nil) },
            .change("one of 20") { _, number in
                (
                    SetWebhook(
                        id: "webhook-1", url: Worst.url, events: .all,
                        secret: Worst.text("t", bytes: 250) + "\(number)"), nil
                )
            },
            .query("20 webhooks") { _, _ in (ListWebhooks(), nil) },
            .change("one of 20", runs: 3) { _, number in (DeleteWebhook(id: "webhook-\(number + 5)"), nil) },
            .query("one of 20 webhooks", of: ListDeadLetters.method) { _, _ in (CheckWebhook(id: "webhook-1"), nil) },
            .query("one of 20 webhooks", of: ReplayDeadLetters.method) { _, _ in (CheckWebhook(id: "webhook-1"), nil) },
            .query("") { _, _ in (GetSettings(), nil) },
            .change("all values") { _, number in
                var values = SettingValues()
                values.membersPerChannel = 100 + number
                return (UpdateSettings(values), nil)
            },
            .query("", of: CreateToken.method) { _, _ in (CheckActive(userID: ann), nil) },
            .change("the 10,000th guest") { _, number in
                (AdmitGuest(id: .guest(UInt64(number), 99), nickname: "guest"), nil)
            },
        ]
    }
}
