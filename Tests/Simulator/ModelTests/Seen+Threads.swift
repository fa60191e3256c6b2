import ChatModel

struct SeenThread: Equatable {
    var parent: MessageID
    var replyCount: Int?
    var mostReplied: [UserID]?
    var lastReplyAt: Int64?
    var title: String?
    var data: String?
    var unreadCount: Int?
    var lastRead: MessageID?
}

struct SeenThreadEntry: Equatable {
    var thread: SeenThread
    var channel: SeenChannel
    var parent: SeenMessage
    var replies: [SeenMessage]
    var participants: [UserID]
}

extension SeenThread {
    init(_ thread: MessageThread) {
        self.init(
            parent: thread.parentMessageID, replyCount: thread.replyCount,
            mostReplied: thread.mostRepliedUsers?.map(\.id), lastReplyAt: thread.lastReplyAt, title: thread.title,
            data: thread.data, unreadCount: thread.unreadCount, lastRead: thread.lastRead?.messageID)
    }
}

extension SeenThreadEntry {
    init(_ entry: ThreadEntry) {
        self.init(
            thread: SeenThread(entry.thread), channel: SeenChannel(entry.channel), parent: SeenMessage(entry.parent),
            replies: entry.replies.map { SeenMessage($0) }, participants: entry.participants.map(\.id))
    }
}
