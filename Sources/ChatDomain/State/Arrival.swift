import ChatModel
import WireProtocol

/// What a new connection is told of its user's channels: the rooms it joins, and the unread totals.
///
/// For a user in many channels this takes several turns, and each counts some channels. The chat goes on between them,
/// so the last turn counts again what has changed: the answer is exact for the moment of the last turn.
package struct Arrival {
    private struct Entry {
        let id: ChannelID
        let standing: RoomStanding
        let lastRead: UInt64
        let hidden: HiddenState
        let unread: ChannelUnread?
    }

    private let user: UserID
    /// Whether the connection joins its user's rooms; otherwise only the inbox.
    private let joinsRooms: Bool
    private let inboxTop: UInt64
    private let channels: [ChannelID]
    private var next = 0
    /// By id.
    private var entries: [Entry] = []
    private var turns = 0

    package init(of user: UserID, joinsRooms: Bool, in state: ChatState) {
        self.user = user
        self.joinsRooms = joinsRooms
        inboxTop = state.users[user]?.inboxTop ?? 0
        channels = state.users[user]?.channelsInOrder ?? []
        entries.reserveCapacity(channels.count)
    }

    /// Counts channels for one turn.
    ///
    /// - Returns: Whether all are counted, so that `finish` can follow in the same turn.
    package mutating func advance(in state: ChatState, _ work: WorkMeter) -> Bool {
        turns += 1
        while next < channels.count {
            guard !work.isSliceOver else { return false }
            // The totals visit every channel, even for a connection that joins none of them.
            work.charge(WorkCost.total + (joinsRooms ? WorkCost.room : 0))
            if let entry = entry(of: channels[next], in: state) { entries.append(entry) }
            next += 1
        }
        return true
    }

    /// - Returns: The inbox first, then the channels by id; and the totals of all channels.
    package func finish(in state: ChatState, _ work: WorkMeter) -> (standings: [RoomStanding], unread: UnreadTotals) {
        guard let inbox = state.inboxStanding(of: user) else { return ([], UnreadTotals()) }
        work.charge(WorkCost.room)
        let entries = turns == 1 ? entries : current(in: state)
        var count = UnreadCount()
        for entry in entries {
            if let unread = entry.unread { count.add(unread, of: state.channels[entry.id]) }
        }
        return ([inbox] + (joinsRooms ? entries.map(\.standing) : []), state.totals(of: user, count))
    }

    /// The entries of the user's present channels.
    private func current(in state: ChatState) -> [Entry] {
        // Whatever the user does or suffers in a channel is told to their inbox, too, except for messages.
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
        return current
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
