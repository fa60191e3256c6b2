import ChatModel
import DequeModule

/// Members of large channels that were deleted: their lists of channels still name it, and are put right a few at a time.
///
/// Such a name counts for nothing: whoever reads a list asks the channel whether they are in it.
struct Leavings {
    /// A channel of so many members is taken out of their lists at once.
    static let atOnce = 128
    /// Channels that may wait for it; beyond, the first is finished.
    static let channels = 16

    private struct Deleted {
        let channel: ChannelID
        let members: [UserID: ChannelState.MemberState]
        var next: [UserID: ChannelState.MemberState].Index
    }

    private var deleted: Deque<Deleted> = []
    /// The time of the last step: there is one in a millisecond, however many records that has.
    private var lastAt: Int64 = 0

    var isEmpty: Bool { deleted.isEmpty }

    /// Channels that someone's list may name though they are not in them.
    func channels(of user: UserID) -> some Sequence<ChannelID> {
        deleted.lazy.filter { $0.members[user] != nil }.map(\.channel)
    }

    mutating func append(_ channel: ChannelID, _ members: [UserID: ChannelState.MemberState]) {
        deleted.append(Deleted(channel: channel, members: members, next: members.startIndex))
    }

    /// - Returns: Whose lists are to be put right now, and the members of a channel with which that is done, to be freed.
    mutating func step(at now: Int64) -> (members: [(UserID, ChannelID)], remains: Remains?) {
        guard !deleted.isEmpty, now > lastAt || deleted.count > Self.channels else { return ([], nil) }
        lastAt = now
        var members: [(UserID, ChannelID)] = []
        var first = deleted.removeFirst()
        let isOver = deleted.count >= Self.channels
        while first.next != first.members.endIndex, isOver || members.count < Self.atOnce {
            members.append((first.members[first.next].key, first.channel))
            first.members.formIndex(after: &first.next)
        }
        guard first.next == first.members.endIndex else {
            deleted.prepend(first)
            return (members, nil)
        }
        return (members, Remains(first.members))
    }
}

extension ChatState {
    /// Whether someone is in a channel that their list names.
    func isIn(_ channel: ChannelState, _ user: UserID) -> Bool { leavings.isEmpty || channel.members[user] != nil }

    /// Ids of the channels that someone is in, ascending.
    func channels(of user: UserState) -> [ChannelID] {
        guard !leavings.isEmpty else { return user.channelsInOrder }
        return user.channelsInOrder.filter { channels[$0]?.members[user.id] != nil }
    }

    func channelCount(of user: UserState) -> Int {
        let count = user.joinedChannels.count
        guard !leavings.isEmpty else { return count }
        let gone = Set(leavings.channels(of: user.id))
        return count - gone.count { user.joinedChannels.contains($0) && channels[$0]?.members[user.id] == nil }
    }
}
