import ChatModel

extension ChatState {
    /// Returns a member's read state in a channel, in the form sent to that member (`U5`).
    func readState(of user: UserID, in channel: ChannelState) -> ReadState {
        let member = channel.members[user]
        return ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(member?.lastRead ?? 0, visibleFrom: member?.visibleFrom ?? .max),
            unreadCount: member.map { channel.unreadCount(of: user, $0) } ?? 0,
            unreadMentionCount: member.map { channel.unreadMentionCount(of: user, $0) } ?? 0,
            firstUnreadMessageID: member.flatMap { channel.firstUnread(of: user, $0) })
    }

    /// Returns a member's read state in a thread, in the form sent to that member (`T8`).
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

    /// Returns the form sent to other users: only how far the user has read.
    func receipt(of user: UserID, in channel: ChannelState) -> ReadState {
        ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(channel.members[user]?.receipt ?? 0, visibleFrom: 0))
    }

    /// The maximum number of threads counted in the totals: more than most users participate in, and few enough not to
    /// block the chat.
    static let countedThreads = 1_000

    /// Returns the user's unread totals across all channels (`U1`, `U7`). Takes a few binary searches per channel, and
    /// as many for each of at most `countedThreads` threads.
    package func unreadTotals(of id: UserID) -> UnreadTotals {
        var count = UnreadCount()
        for channel in users[id]?.joinedChannels ?? [] {
            guard let channel = channels[channel], let member = channel.members[id] else { continue }
            if let unread = unread(of: id, member, in: channel) { count.add(unread, of: channel) }
        }
        return totals(of: id, count)
    }

    /// - Returns: `nil` for an archived channel, which does not count.
    func unread(of id: UserID, _ member: ChannelState.MemberState, in channel: ChannelState) -> ChannelUnread? {
        guard member.hidden != .hiddenPreventAutoUnhide else { return nil }
        let (count, mentions) = channel.unreadCounts(of: id, member)
        return ChannelUnread(
            messages: count, mentions: mentions,
            newestThread: channel.participations(of: id).last.map { channel.messages.createdAt(at: $0) })
    }

    /// Returns the totals including the threads of all channels.
    func totals(of id: UserID, _ count: UnreadCount, assuming mark: Event.ReadMark? = nil) -> UnreadTotals {
        var totals = count.totals
        countThreads(of: id, in: count.withThreads, assuming: mark, &totals)
        return totals
    }

    /// Counts the newest threads of each channel, starting with the channels that have the newest threads. Each channel
    /// gets an equal share of the limit, but at least 100 threads.
    private func countThreads(
        of id: UserID, in channels: [(channel: ChannelState, newest: Int64)], assuming mark: Event.ReadMark?,
        _ totals: inout UnreadTotals
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
                let upTo = mark?.channel == channel.id && mark?.thread == parent.id ? mark?.upTo : nil
                let unread = channel.unreadReplies(of: id, member, in: parent, upTo: upTo)
                totals.unreadReplyCount += unread
                if unread > 0 { totals.unreadThreadCount += 1 }
            }
            if left == 0 { return }
        }
    }
}

/// The contribution of one channel to its member's totals.
struct ChannelUnread {
    let messages: Int
    let mentions: Int
    /// When the newest thread in which the member participates began; `nil` if there is none.
    let newestThread: Int64?
}

/// Unread totals in progress: channels are added one at a time, threads at the end.
struct UnreadCount {
    private(set) var totals = UnreadTotals()
    private(set) var withThreads: [(channel: ChannelState, newest: Int64)] = []

    mutating func add(_ unread: ChannelUnread, of channel: @autoclosure () -> ChannelState?) {
        if let newest = unread.newestThread, let channel = channel() { withThreads.append((channel, newest)) }
        guard unread.messages > 0 else { return }
        totals.unreadCount += unread.messages
        totals.unreadMentionCount += unread.mentions
        totals.unreadChannelCount += 1
    }
}
