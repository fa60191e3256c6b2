import ChatModel
import DequeModule

/// The removal of large deleted channels from their members' channel lists, in small steps.
///
/// Outdated entries have no effect, because every reader of a list checks the membership in the channel.
struct MembershipCleanup {
    /// The maximum number of members for which the cleanup is immediate; also the number of members per step.
    static let membersPerStep = 128
    /// The maximum number of pending channels; the first is completed immediately if there are more.
    static let channelLimit = 16

    typealias Members = ShardedDictionary<UserID, ChannelState.MemberState>

    private struct Deleted {
        let channel: ChannelID
        let members: Members
        var next: Members.Index
    }

    private var deleted: Deque<Deleted> = []
    /// The time of the last step: at most one step runs per millisecond, however many records there are.
    private var lastAt: Int64 = 0

    var isEmpty: Bool { deleted.isEmpty }

    /// Returns the deleted channels that a user's list may still contain.
    func channels(of user: UserID) -> some Sequence<ChannelID> {
        deleted.lazy.filter { $0.members[user] != nil }.map(\.channel)
    }

    mutating func append(_ channel: ChannelID, _ members: Members) {
        deleted.append(Deleted(channel: channel, members: members, next: members.startIndex))
    }

    /// - Returns: The list entries to remove now, and an object to free when a channel's cleanup is complete.
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

/// A large object removed from the state, which the engine frees on another queue, because that takes long.
///
/// Created on the engine's queue, which does not access it afterwards; emptied on the queue that frees it.
package final class DiscardedObject: @unchecked Sendable {
    private var content: Any?

    init(_ content: Any) { self.content = content }

    package func free() { content = nil }
}

extension ChatState {
    /// Returns whether a user is still a member of a channel in their list.
    func isStillMember(_ user: UserID, of channel: ChannelState) -> Bool {
        areListsExact || channel.members[user] != nil
    }

    /// Whether no user's list contains a channel that was deleted or that guests are leaving.
    private var areListsExact: Bool { membershipCleanup.isEmpty && vacating.isEmpty }

    /// Returns the ids of the channels that a user is in, ascending.
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
