import ChatModel

/// A summary of all channels of a user: the positions of their rooms, and the unread counts.
///
/// For a user in many channels, making it takes several turns, in which other commands run too. Every result therefore
/// first refreshes the entries that have changed, and is exact at that moment.
///
/// Touched only on the queue that owns the `ChatState`.
package final class ChannelSurvey: @unchecked Sendable {
    private struct Entry {
        let id: ChannelID
        let standing: RoomStanding
        let lastRead: UInt64
        let hidden: HiddenState
        let unread: ChannelUnread?
    }

    private let user: UserID
    /// The inbox's last offset when the entries were current.
    private var inboxTop: UInt64
    private let channels: [ChannelID]
    private var next = 0
    /// Sorted by id.
    private var entries: [Entry] = []
    /// Whether all entries are from this turn and nothing has changed since. Saves most users a refresh.
    private var isExact = false

    package init(of user: UserID, in state: ChatState) {
        self.user = user
        inboxTop = state.users[user]?.inboxTop ?? 0
        channels = state.users[user]?.channelsInOrder ?? []
        entries.reserveCapacity(channels.count)
    }

    package var channelCount: Int { channels.count }

    /// Examines channels for one turn.
    ///
    /// - Returns: Whether all channels are examined and enough of the turn is left for a result.
    package func advance(in state: ChatState, _ work: WorkMeter) -> Bool {
        isExact = next == 0
        while next < channels.count {
            guard !work.isSliceOver else { return false }
            work.charge(WorkCost.total)
            if let entry = entry(of: channels[next], in: state) { entries.append(entry) }
            next += 1
        }
        return !work.isSliceHalfOver
    }

    /// Returns the standings of a new connection in its rooms, and the unread totals.
    ///
    /// - Parameter joinsRooms: Whether the connection joins all of its user's rooms, or only the inbox.
    /// - Returns: The standings of the inbox and of the channels by id, and the totals of all channels.
    package func arrival(
        joiningRooms joinsRooms: Bool, in state: ChatState, _ work: WorkMeter
    ) -> (standings: [RoomStanding], unread: UnreadTotals) {
        guard let inbox = state.inboxStanding(of: user) else { return ([], UnreadTotals()) }
        refresh(in: state)
        work.charge((joinsRooms ? entries.count + 1 : 1) * WorkCost.room)
        let totals = state.totals(of: user, count(entries, in: state))
        return ([inbox] + (joinsRooms ? entries.map(\.standing) : []), totals)
    }

    /// Returns the user's unread totals across all channels (`U1`, `U7`).
    ///
    /// - Parameter mark: A read marker to assume instead of the current one; `nil` for the current one.
    func totals(in state: ChatState, _ work: WorkMeter, assuming mark: Event.ReadMark? = nil) -> UnreadTotals {
        refresh(in: state)
        work.charge(entries.count * WorkCost.entry)
        let marked = mark?.thread == nil ? mark : nil
        var count = count(entries.lazy.filter { $0.id != marked?.channel }, in: state)
        if let marked, let channel = state.channels[marked.channel], var member = channel.members[user] {
            member.mark(upTo: marked.upTo)
            if let unread = state.unread(of: user, member, in: channel) { count.add(unread, of: channel) }
        }
        return state.totals(of: user, count, assuming: mark)
    }

    /// Returns the first channels, by id, that have unread messages, including archived channels.
    func unreadChannels(_ limit: Int, in state: ChatState, _ work: WorkMeter) -> [ChannelState] {
        refresh(in: state)
        work.charge(entries.count * WorkCost.entry)
        return Array(
            entries.lazy.compactMap { [user] entry in
                guard entry.unread?.messages != 0, let channel = state.channels[entry.id],
                    entry.unread != nil || channel.unreadCount(of: user) > 0
                else { return nil }
                return channel
            }.prefix(limit))
    }

    /// Limits the next refresh to these channels. Must follow a command of the user that changed only these.
    func invalidate(_ channels: Set<ChannelID>, in state: ChatState) {
        entries.removeAll { channels.contains($0.id) }
        inboxTop = state.users[user]?.inboxTop ?? 0
        isExact = false
    }

    private func count(_ entries: some Sequence<Entry>, in state: ChatState) -> UnreadCount {
        var count = UnreadCount()
        for entry in entries {
            if let unread = entry.unread { count.add(unread, of: state.channels[entry.id]) }
        }
        return count
    }

    /// Updates the entries to the user's current channels.
    private func refresh(in state: ChatState) {
        guard !isExact else {
            isExact = false
            return
        }
        // All changes to a channel that affect the user, except messages, also advance their inbox.
        let isInboxSame = state.users[user]?.inboxTop == inboxTop
        var current: [Entry] = []
        current.reserveCapacity(entries.count)
        var old = entries[...]
        for id in state.users[user]?.channelsInOrder ?? [] {
            while let first = old.first, first.id != id, first.id < id { old.removeFirst() }
            guard let entry = old.first, entry.id == id, isCurrent(entry, isInboxSame, in: state) else {
                if let entry = self.entry(of: id, in: state) { current.append(entry) }
                continue
            }
            current.append(entry)
        }
        entries = current
        inboxTop = state.users[user]?.inboxTop ?? 0
    }

    private func isCurrent(_ entry: Entry, _ isInboxSame: Bool, in state: ChatState) -> Bool {
        guard let channel = state.channels[entry.id], channel.epoch == entry.standing.epoch,
            channel.top == entry.standing.offset
        else { return false }
        guard !isInboxSame else { return true }
        guard let member = channel.members[user] else { return false }
        return member.lastRead == entry.lastRead && member.hidden == entry.hidden
            && member.since == entry.standing.since && member.visibleFrom == entry.standing.visibleFrom
    }

    private func entry(of id: ChannelID, in state: ChatState) -> Entry? {
        guard let channel = state.channels[id], let member = channel.members[user] else { return nil }
        return Entry(
            id: id, standing: RoomStanding(member, of: channel), lastRead: member.lastRead, hidden: member.hidden,
            unread: state.unread(of: user, member, in: channel))
    }
}

extension ChatState {
    /// Returns the survey of a user's channels: the engine's, or one made here in a single turn for callers that own
    /// the state exclusively.
    func survey(of user: UserState, _ context: Context) -> ChannelSurvey {
        if let survey = context.survey { return survey }
        let survey = ChannelSurvey(of: user.id, in: self)
        while !survey.advance(in: self, context.work) { context.work.beginSlice() }
        return survey
    }
}
