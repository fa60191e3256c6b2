import ChatModel

extension ChatState {
    /// What a member has read of a channel, in the form sent to them (`U5`).
    func readState(of user: UserID, in channel: ChannelState) -> ReadState {
        let member = channel.members[user]
        return ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(member?.lastRead ?? 0, visibleFrom: member?.visibleFrom ?? .max),
            unreadCount: member.map { channel.unreadCount(of: user, $0) } ?? 0,
            unreadMentionCount: member.map { channel.unreadMentionCount(of: user, $0) } ?? 0,
            firstUnreadMessageID: member.flatMap { channel.firstUnread(of: user, $0) })
    }

    /// What a member has read of a thread, in the form sent to them (`T8`).
    func readState(of user: UserID, in channel: ChannelState, thread parent: StoredMessage) -> ReadState {
        ReadState(
            userID: user, channelID: channel.id, parentMessageID: parent.id,
            lastRead: threadPosition(of: user, in: channel, parent),
            unreadCount: channel.unreadReplies(of: user, in: parent),
            firstUnreadMessageID: channel.firstUnreadReply(of: user, in: parent))
    }

    func threadPosition(of user: UserID, in channel: ChannelState, _ parent: StoredMessage) -> ReadPosition {
        channel.position(
            channel.threadMark(of: user, in: parent), visibleFrom: channel.members[user]?.visibleFrom ?? .max,
            among: channel.threads[parent.id]?.replies ?? Places())
    }

    /// The form sent to others: only how far the user has read.
    func receipt(of user: UserID, in channel: ChannelState) -> ReadState {
        ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(channel.members[user]?.receipt ?? 0, visibleFrom: 0))
    }

    /// The largest number of threads counted in the totals: far more than most users take part in, and too few to block
    /// the chat.
    static let countedThreads = 1_000

    /// The number of channels that the user is in.
    package func channelCount(of id: UserID) -> Int { users[id]?.joinedChannels.count ?? 0 }

    /// The user's unread totals over all channels (`U1`, `U7`). Takes a few binary searches for each channel, and as
    /// many for each of at most `countedThreads` threads.
    package func unreadTotals(of id: UserID) -> UnreadTotals {
        var totals = UnreadTotals()
        var withThreads: [(channel: ChannelState, newest: Int64)] = []
        for channel in users[id]?.joinedChannels ?? [] {
            guard let channel = channels[channel], let member = channel.members[id],
                member.hidden != .hiddenPreventAutoUnhide
            else { continue }
            if let newest = channel.participations(of: id).last {
                withThreads.append((channel, channel.messages[newest].createdAt))
            }
            let count = channel.unreadCount(of: id, member)
            guard count > 0 else { continue }
            totals.unreadCount += count
            totals.unreadMentionCount += channel.unreadMentionCount(of: id, member)
            totals.unreadChannelCount += 1
        }
        countThreads(of: id, in: withThreads, &totals)
        return totals
    }

    /// Counts the newest threads of each channel, starting with the channels whose threads are newest. Each channel
    /// gets an equal share of the limit, but at least 100 threads.
    private func countThreads(
        of id: UserID, in channels: [(channel: ChannelState, newest: Int64)], _ totals: inout UnreadTotals
    ) {
        let share = max(100, Self.countedThreads / max(1, channels.count))
        var left = Self.countedThreads
        for (channel, _) in channels.sorted(by: { ($1.newest, $0.channel.id) < ($0.newest, $1.channel.id) }) {
            let parents = channel.participations(of: id)
            let count = min(parents.count, share, left)
            left -= count
            guard let member = channel.members[id] else { continue }
            for index in parents.count - count..<parents.count {
                let parent = channel.messages[parents[index]]
                guard parent.offset >= member.visibleFrom else { continue }
                let unread = channel.unreadReplies(of: id, member, in: parent)
                totals.unreadReplyCount += unread
                if unread > 0 { totals.unreadThreadCount += 1 }
            }
            if left == 0 { return }
        }
    }
}
