import ChatModel

/// Read markers and unread counts.
extension ChannelState {
    /// Returns the place of the first message at or after an offset.
    func place(fromOffset offset: UInt64) -> Int {
        let messages = messages
        var low = messages.startIndex
        var high = messages.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if messages.offset(at: middle) < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the offset of the first message sent at or after a time; the next one if there is none.
    func offset(ofFirstMessageAt time: Int64) -> UInt64 {
        var (low, high) = (messages.startIndex, messages.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            need(at: middle)
            if messages.createdAt(at: middle) < time { low = middle + 1 } else { high = middle }
        }
        return low < messages.endIndex ? messages.offset(at: low) : top + 1
    }

    /// Returns the place where a member's unread messages start: after the marker, and never in hidden history.
    private func unreadStart(_ member: MemberState, after mark: UInt64) -> Int {
        place(fromOffset: max(mark + 1, member.visibleFrom))
    }

    /// Returns the exact number of unread messages in O(log n); 0 for a user who is not a member (`U1`).
    func unreadCount(of user: UserID) -> Int { members[user].map { unreadCount(of: user, $0) } ?? 0 }

    /// Returns the number of unread messages of a member already looked up; for long ids the lookup is most of the
    /// work.
    func unreadCount(of user: UserID, _ member: MemberState) -> Int {
        // Most channels in a list are completely read and need no search.
        guard member.lastRead < top else { return 0 }
        return store.unreadCount(of: user, from: unreadStart(member, after: member.lastRead))
    }

    func unreadMentionCount(of user: UserID, _ member: MemberState) -> Int {
        guard member.lastRead < top else { return 0 }
        return store.unreadMentionCount(of: user, from: unreadStart(member, after: member.lastRead))
    }

    /// Returns both counts, but searches for the start only once.
    func unreadCounts(of user: UserID, _ member: MemberState) -> (messages: Int, mentions: Int) {
        guard member.lastRead < top else { return (0, 0) }
        let start = unreadStart(member, after: member.lastRead)
        let count = store.unreadCount(of: user, from: start)
        return (count, count == 0 ? 0 : store.unreadMentionCount(of: user, from: start))
    }

    func firstUnread(of user: UserID, _ member: MemberState) -> MessageID? {
        guard member.lastRead < top else { return nil }
        let start = unreadStart(member, after: member.lastRead)
        return store.firstUnread(of: user, from: start).map { messages.id(at: $0) }
    }

    /// Returns a position with the newest message at or before the offset, if the member can see it. Considers only
    /// `places`; by default, the messages that appear in the channel.
    func position(_ offset: UInt64, visibleFrom: UInt64, among places: Places? = nil) -> ReadPosition {
        let last = (places ?? readIndex.inChannel).last(before: place(fromOffset: offset + 1))
        let message = last.flatMap { messages.offset(at: $0) >= visibleFrom ? messages.id(at: $0) : nil }
        return ReadPosition(messageID: message, offset: offset)
    }

    /// Returns the read marker in a thread. Without one, everything since the member joined is unread.
    func threadMark(of user: UserID, in parent: StoredMessage) -> UInt64 {
        guard let member = members[user] else { return .max - 1 }
        return member.threadMarks[parent.id] ?? max(parent.offset, member.since)
    }

    func unreadReplies(of user: UserID, in parent: StoredMessage) -> Int {
        members[user].map { unreadReplies(of: user, $0, in: parent) } ?? 0
    }

    /// - Parameter upTo: The last offset that counts as read; `nil` for the member's marker.
    func unreadReplies(
        of user: UserID, _ member: MemberState, in parent: StoredMessage, upTo: UInt64? = nil
    ) -> Int {
        guard let thread = threads[parent.id] else { return 0 }
        let mark = upTo ?? member.threadMarks[parent.id] ?? max(parent.offset, member.since)
        return thread.unreadCount(of: user, from: unreadStart(member, after: mark))
    }

    func firstUnreadReply(of user: UserID, in parent: StoredMessage) -> MessageID? {
        guard let member = members[user], let thread = threads[parent.id] else { return nil }
        let start = unreadStart(member, after: threadMark(of: user, in: parent))
        return thread.firstUnread(of: user, from: start).map { messages.id(at: $0) }
    }
}
