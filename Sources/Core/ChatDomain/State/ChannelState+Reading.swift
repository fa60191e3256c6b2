import ChatModel

/// What one member has read, and what is unread.
extension ChannelState {
    /// The first place at or after an offset.
    func place(fromOffset offset: UInt64) -> Int {
        var low = 0
        var high = messages.count
        while low < high {
            let middle = low + (high - low) / 2
            if messages[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The place where a member's unread messages start: after the marker, and never in hidden history.
    private func unreadStart(_ member: MemberState, after mark: UInt64) -> Int {
        place(fromOffset: max(mark + 1, member.visibleFrom))
    }

    /// Exact, O(log n); 0 for a user who is not a member (`U1`).
    func unreadCount(of user: UserID) -> Int { members[user].map { unreadCount(of: user, $0) } ?? 0 }

    /// The same with the member already looked up: for long ids the lookup is most of the work.
    func unreadCount(of user: UserID, _ member: MemberState) -> Int {
        // Most channels of a list are read to the end; they need no lookup.
        guard member.lastRead < top else { return 0 }
        return readIndex.unreadCount(of: user, from: unreadStart(member, after: member.lastRead))
    }

    func unreadMentionCount(of user: UserID, _ member: MemberState) -> Int {
        guard member.lastRead < top else { return 0 }
        return readIndex.unreadMentionCount(of: user, from: unreadStart(member, after: member.lastRead))
    }

    /// Both counts: the place where they start is looked for once.
    func unreadCounts(of user: UserID, _ member: MemberState) -> (messages: Int, mentions: Int) {
        guard member.lastRead < top else { return (0, 0) }
        let start = unreadStart(member, after: member.lastRead)
        let count = readIndex.unreadCount(of: user, from: start)
        return (count, count == 0 ? 0 : readIndex.unreadMentionCount(of: user, from: start))
    }

    func firstUnread(of user: UserID, _ member: MemberState) -> MessageID? {
        guard member.lastRead < top else { return nil }
        let start = unreadStart(member, after: member.lastRead)
        return readIndex.firstUnread(of: user, from: start).map { messages[$0].id }
    }

    /// The newest message at or before an offset in `places`, if the member may see it.
    func position(_ offset: UInt64, visibleFrom: UInt64, among places: Places? = nil) -> ReadPosition {
        let last = (places ?? readIndex.inChannel).last(before: place(fromOffset: offset + 1))
        let message = last.map { messages[$0] }.flatMap { $0.offset >= visibleFrom ? $0.id : nil }
        return ReadPosition(messageID: message, offset: offset)
    }

    /// A member without a marker in a thread has read nothing in it since joining.
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
        return thread.firstUnread(of: user, from: start).map { messages[$0].id }
    }
}
