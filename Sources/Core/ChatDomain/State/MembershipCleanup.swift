import ChatModel
import DequeModule

/// The members of large deleted channels whose own channel lists still name the channel. The lists are cleaned up in
/// small steps.
///
/// Stale entries have no effect: every reader of a list checks the membership in the channel.
struct MembershipCleanup {
    /// A channel with at most this many members is cleaned up at once; also the number of members per step.
    static let membersPerStep = 128
    /// How many channels may be pending; beyond that the first is finished at once.
    static let channelLimit = 16

    typealias Members = ShardedDictionary<UserID, ChannelState.MemberState>

    private struct Deleted {
        let channel: ChannelID
        let members: Members
        var next: Members.Index
    }

    private var deleted: Deque<Deleted> = []
    /// The time of the last step: at most one runs per millisecond, however many records it has.
    private var lastAt: Int64 = 0

    var isEmpty: Bool { deleted.isEmpty }

    /// Channels that a user's list may still name after their deletion.
    func channels(of user: UserID) -> some Sequence<ChannelID> {
        deleted.lazy.filter { $0.members[user] != nil }.map(\.channel)
    }

    mutating func append(_ channel: ChannelID, _ members: Members) {
        deleted.append(Deleted(channel: channel, members: members, next: members.startIndex))
    }

    /// - Returns: The list entries to remove now, and the members of a channel whose cleanup is complete, to be freed.
    mutating func step(at now: Int64) -> (members: [(UserID, ChannelID)], discarded: DiscardedObject?) {
        guard !deleted.isEmpty, now > lastAt || deleted.count > Self.channelLimit else { return ([], nil) }
        lastAt = now
        var members: [(UserID, ChannelID)] = []
        var first = deleted.removeFirst()
        let isOver = deleted.count >= Self.channelLimit
        while first.next != first.members.endIndex, isOver || members.count < Self.membersPerStep {
            members.append((first.members[first.next].key, first.channel))
            first.members.formIndex(after: &first.next)
        }
        guard first.next == first.members.endIndex else {
            deleted.prepend(first)
            return (members, nil)
        }
        return (members, DiscardedObject(first.members))
    }
}

/// A large object that was removed from the state. Freeing it takes long, so the engine does that on another queue.
///
/// Created on the engine's queue, which does not access it afterwards; emptied on the queue that frees it.
package final class DiscardedObject: @unchecked Sendable {
    private var content: Any?

    init(_ content: Any) { self.content = content }

    package func free() { content = nil }
}

extension ChatState {
    /// Whether a user is a member of a channel that their list names.
    func isStillMember(_ user: UserID, of channel: ChannelState) -> Bool {
        areListsExact || channel.members[user] != nil
    }

    /// Whether users' lists name no channel that they have left: one that was deleted, or that guests are leaving.
    private var areListsExact: Bool { membershipCleanup.isEmpty && vacating.isEmpty }

    /// Ids of the channels that a user is in, ascending.
    func channels(of user: UserState) -> [ChannelID] {
        guard !areListsExact else { return user.channelsInOrder }
        return user.channelsInOrder.filter { channels[$0]?.members[user.id] != nil }
    }

    func channelCount(of user: UserState) -> Int {
        // A guest is in few channels.
        if user.id.isGuest { return channels(of: user).count }
        let count = user.joinedChannels.count
        guard !membershipCleanup.isEmpty else { return count }
        let gone = Set(membershipCleanup.channels(of: user.id))
        return count - gone.count { user.joinedChannels.contains($0) && channels[$0]?.members[user.id] == nil }
    }
}
