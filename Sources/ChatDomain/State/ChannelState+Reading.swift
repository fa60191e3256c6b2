import ChatModel

/// What one member has read and what not.
extension ChannelState {
    /// The first place that does not lie before an offset.
    func place(fromOffset offset: UInt64) -> Int {
        var low = 0
        var high = messages.count
        while low < high {
            let middle = low + (high - low) / 2
            if messages[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Where a member's unread messages begin: behind the marker, and nowhere in hidden history.
    private func unreadStart(_ member: MemberState, behind mark: UInt64) -> Int {
        place(fromOffset: max(mark + 1, member.visibleFrom))
    }

    /// Exact, O(log n); 0 for who is not a member (`U1`).
    func unreadCount(of user: UserID) -> Int { members[user].map { unreadCount(of: user, $0) } ?? 0 }

    /// The same for who has looked the member up: with long ids that is most of the work.
    func unreadCount(of user: UserID, _ member: MemberState) -> Int {
        // Most channels of a list are read to their end: nothing is looked up for those.
        guard member.lastRead < top else { return 0 }
        return readIndex.unreadCount(of: user, from: unreadStart(member, behind: member.lastRead))
    }

    func unreadMentionCount(of user: UserID, _ member: MemberState) -> Int {
        guard member.lastRead < top else { return 0 }
        return readIndex.unreadMentionCount(of: user, from: unreadStart(member, behind: member.lastRead))
    }

    func firstUnread(of user: UserID, _ member: MemberState) -> MessageID? {
        guard member.lastRead < top else { return nil }
        let start = unreadStart(member, behind: member.lastRead)
        return readIndex.firstUnread(of: user, from: start).map { messages[$0].id }
    }

    /// The newest message standing at or before a position that a member may see.
    func position(_ offset: UInt64, visibleFrom: UInt64, among places: Places? = nil) -> ReadPosition {
        let last = (places ?? readIndex.standing).last(before: place(fromOffset: offset + 1))
        let message = last.map { messages[$0] }.flatMap { $0.offset >= visibleFrom ? $0.id : nil }
        return ReadPosition(messageID: message, offset: offset)
    }

    /// Who has no marker of their own in a thread has read nothing of it since they came.
    func threadMark(of user: UserID, in parent: StoredMessage) -> UInt64 {
        guard let member = members[user] else { return .max - 1 }
        return member.threadMarks[parent.id] ?? max(parent.offset, member.since)
    }

    func unreadReplies(of user: UserID, in parent: StoredMessage) -> Int {
        members[user].map { unreadReplies(of: user, $0, in: parent) } ?? 0
    }

    func unreadReplies(of user: UserID, _ member: MemberState, in parent: StoredMessage) -> Int {
        guard let thread = threads[parent.id] else { return 0 }
        let mark = member.threadMarks[parent.id] ?? max(parent.offset, member.since)
        return thread.unreadCount(of: user, from: unreadStart(member, behind: mark))
    }

    func firstUnreadReply(of user: UserID, in parent: StoredMessage) -> MessageID? {
        guard let member = members[user], let thread = threads[parent.id] else { return nil }
        let start = unreadStart(member, behind: threadMark(of: user, in: parent))
        return thread.firstUnread(of: user, from: start).map { messages[$0].id }
    }
}
