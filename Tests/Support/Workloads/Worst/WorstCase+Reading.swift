import ChatDomain
import ChatModel

extension WorstCase {
    static var reading: [WorstCase] {
        [
            .change("100,000 unread messages") { _, number in
                (MarkRead(channelID: Worst.hall(0)), Worst.person(100 + number))
            },
            .change("100,000 read messages, announced with the totals of 2,000 channels") { chat, number in
                chat.apply([
                    .readMarked(
                        Event.ReadMark(channel: Worst.hall(0), user: ann, upTo: UInt64(chat.replies.count)))
                ])
                return (MarkUnread(channelID: Worst.hall(0), messageID: chat.replies[number]), ann)
            },
            .query("2,000 channels, all unread") { _, _ in (GetUnreadCounts(), ann) },
            .change("2,000 channels, all unread, 250 of them marked read") { chat, number in
                (MarkAllRead(), Worst.person(1 + number))
            },
            .change("2,000 channels, the last 250 unread") { chat, number in
                let user = Worst.person(50 + number)
                let read = max(0, chat.scale.channels - chat.scale.halls - 2 - FieldLimits.channelsReadAtOnce)
                chat.apply(
                    (0..<read).map {
                        .readMarked(Event.ReadMark(channel: Worst.room($0), user: user, upTo: UInt64(1_000)))
                    })
                return (MarkAllRead(), user)
            },
            .query("20,000 members") { chat, _ in
                (
                    ListReceipts(
                        channelID: Worst.hall(0), messageID: chat.reacted, limit: FieldLimits.pageSize), ann
                )
            },
        ]
    }

    static var reactions: [WorstCase] {
        [
            .change("a message with 100 keys, the last one used by 20,000 users") { chat, number in
                let key = Worst.emoji(chat.scale.reactionKeys - 1)
                let user = Worst.person(chat.scale.people / 2 + number)
                chat.apply([.reactionRemoved(Worst.hall(0), chat.reacted, key: key, by: user)])
                return (
                    AddReaction(channelID: Worst.hall(0), messageID: chat.reacted, key: key), user
                )
            },
            .change("the first of 20,000 users, on a message with 100 keys") { chat, number in
                (
                    RemoveReaction(
                        channelID: Worst.hall(0), messageID: chat.reacted,
                        key: Worst.emoji(chat.scale.reactionKeys - 1)), Worst.person(1 + number)
                )
            },
            .query("100 of 20,000 users") { chat, _ in
                (
                    ListReactionUsers(
                        channelID: Worst.hall(0), messageID: chat.reacted, key: Worst.emoji(1),
                        limit: FieldLimits.pageSize), ann
                )
            },
        ]
    }
}
