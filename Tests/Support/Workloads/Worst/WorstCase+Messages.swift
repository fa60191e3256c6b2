import ChatDomain
import ChatModel

extension WorstCase {
    private static func largest(_ channel: ChannelID, parent: MessageID? = nil) -> SendMessage {
        var send = SendMessage(
            channelID: channel, text: Worst.message, clientID: nil, parentMessageID: parent,
            customType: Worst.customType, data: Worst.data,
            mentionedUserIDs: (0..<FieldLimits.mentions).map(Worst.person))
        send.metaArrays = Worst.metaArrays
        return send
    }

    static var messages: [WorstCase] {
        [
            .change("20,000 push recipients, all fields at their limits") { _, _ in
                (largest(Worst.hall(0)), ann)
            },
            WorstCase(
                command: SendMessage.method, note: "the longest turn of finding its push recipients", runs: 3
            ) { chat, _ in
                try chat.measurePushes { (chat: inout WorstChat) throws(Rejection) in
                    try chat.measure(largest(Worst.hall(0)), as: .user(ann))
                }
            },
            .change("a reply in a thread of 100,000") { chat, _ in (largest(Worst.hall(0), parent: chat.parent), ann) },
            .change("20 files") { _, _ in
                var send = SendMessage(channelID: Worst.hall(0), kind: .files, data: Worst.data)
                send.files = (0..<FieldLimits.filesPerMessage).map { _ in
                    FileReference(url: Worst.url, name: Worst.name, size: 1, mimeType: "image/png")
                }
                return (send, ann)
            },
            .change("20,000 members, all of whom have hidden the channel", runs: 3) { chat, _ in
                chat.apply(
                    (0..<chat.scale.people).map {
                        .channelHidden(
                            Event.ChannelHidden(
                                channel: Worst.hall(2), user: Worst.person($0), state: .hiddenAllowAutoUnhide,
                                visibleFrom: nil))
                    })
                return (SendMessage(channelID: Worst.hall(2), text: Worst.message), ann)
            },
            .change("one of 100,000, all fields at their limits") { chat, number in
                let update = UpdateMessage(
                    channelID: Worst.hall(0), messageID: chat.replies[chat.replies.count / 2 + number],
                    text: Worst.message, data: Worst.data,
                    mentionedUserIDs: (0..<FieldLimits.mentions).map(Worst.person))
                return (update, ann)
            },
            .change("a reply in the middle of 100,000 by 20,000 users") { chat, number in
                (DeleteMessage(channelID: Worst.hall(0), messageID: chat.replies[chat.replies.count / 2 - number]), ann)
            },
        ]
    }

    static var queries: [WorstCase] {
        let page = FieldLimits.pageSize
        return [
            .query("100 reactions by 20,000 users each") { chat, _ in
                (GetMessage(channelID: Worst.hall(0), messageID: chat.reacted), ann)
            },
            .query("200 messages of maximum size around a timestamp that many share", runs: 1) { chat, _ in
                var list = ListMessages(
                    channelID: Worst.large, at: chat.ties, previous: page, next: .size(page), replies: .all,
                    includeThread: true, includeParent: true, includeReactions: true)
                list.includeMetaArrays = true
                return (list, ann)
            },
            .query("100 messages of maximum size", runs: 3) { chat, _ in
                var list = ListMessages(
                    channelID: Worst.large, limit: page, replies: .all, includeThread: true, includeParent: true,
                    includeReactions: true)
                list.includeMetaArrays = true
                return (list, ann)
            },
            .query("a filter that none of 100,000 messages match, from the middle") { chat, _ in
                (
                    ListMessages(
                        channelID: Worst.hall(0), messageID: chat.replies[chat.replies.count / 2], previous: page,
                        next: .size(page), customType: Worst.customType,
                        userIDs: (0..<min(FieldLimits.idsPerCommand, chat.scale.people)).map(Worst.person),
                        replies: .all), ann
                )
            },
            .query("the newest 1,000 matches, ranked", runs: 2) { _, _ in
                (SearchMessages(channelID: Worst.hall(0), query: "a*", order: .relevance, limit: page), ann)
            },
            .query("2,000 channels without a match", runs: 2) { _, _ in
                (SearchMessages(query: "zzzz", limit: page), ann)
            },
            .query("100 matching messages of maximum size", runs: 2) { _, _ in
                (SearchMessages(channelID: Worst.large, query: "a", limit: page), ann)
            },
        ]
    }

    static var threads: [WorstCase] {
        let page = FieldLimits.pageSize
        return [
            .query("200 of 100,000") { chat, _ in
                (
                    ListReplies(
                        channelID: Worst.hall(0), parentMessageID: chat.parent,
                        messageID: chat.replies[chat.replies.count / 3], previous: page, next: page), ann
                )
            },
            .query("100 of 50,000 threads, 100 replies of 16 KiB each", runs: 1) { _, _ in
                (ListThreads(limit: page, replyLimit: page, participantLimit: page), ann)
            },
            .query("one of 50,000 threads") { _, _ in
                (ListThreads(limit: 1, replyLimit: 0, participantLimit: 0), ann)
            },
            .query("100,000 replies by 20,000 users") { chat, _ in
                (
                    GetThread(
                        channelID: Worst.hall(0), parentMessageID: chat.parent, replyLimit: page, participantLimit: page
                    ),
                    ann
                )
            },
            .change("100,000 replies") { chat, number in
                (
                    UpdateThread(
                        channelID: Worst.hall(0), parentMessageID: chat.parent,
                        title: Worst.text("𝐀", bytes: 700) + "\(number)",
                        data: Worst.text("\u{2}", bytes: 8_100 + number)), ann
                )
            },
            .change("100,000 replies, markers in 50,000 threads") { chat, number in
                let parent = chat.send(in: Worst.threads, by: ann, text: "parent")
                chat.apply([chat.sent(in: Worst.threads, by: Worst.person(1), text: "reply", parent: parent)])
                return (MarkThreadRead(channelID: Worst.threads, parentMessageID: parent), ann)
            },
            .change("100,000 replies") { chat, number in
                chat.apply([
                    .readMarked(
                        Event.ReadMark(
                            channel: Worst.hall(0), user: ann, thread: chat.parent, upTo: UInt64(chat.replies.count)))
                ])
                return (
                    MarkThreadUnread(
                        channelID: Worst.hall(0), parentMessageID: chat.parent, messageID: chat.replies[number]), ann
                )
            },
        ]
    }
}
