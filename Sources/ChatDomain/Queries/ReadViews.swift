import ChatModel

extension ChatState {
    /// What a member has read of a channel, as they are told it (`U5`).
    func readState(of user: UserID, in channel: ChannelState) -> ReadState {
        let member = channel.members[user]
        return ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(member?.lastRead ?? 0, visibleFrom: member?.visibleFrom ?? .max),
            unreadCount: channel.unreadCount(of: user), unreadMentionCount: channel.unreadMentionCount(of: user),
            firstUnreadMessageID: channel.firstUnread(of: user))
    }

    /// The same of a thread (`T8`).
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

    /// What others are told of it: how far someone read, and nothing else.
    func receipt(of user: UserID, in channel: ChannelState) -> ReadState {
        ReadState(
            userID: user, channelID: channel.id,
            lastRead: channel.position(channel.members[user]?.receipt ?? 0, visibleFrom: 0))
    }

    /// `U1`; over all channels of a user, a few binary searches each.
    package func unreadTotals(of id: UserID) -> UnreadTotals {
        var totals = UnreadTotals()
        for channel in users[id]?.joinedChannels ?? [] {
            guard let channel = channels[channel] else { continue }
            let count = channel.unreadCount(of: id)
            guard count > 0 else { continue }
            totals.unreadCount += count
            totals.unreadMentionCount += channel.unreadMentionCount(of: id)
            totals.unreadChannelCount += 1
        }
        return totals
    }
}
