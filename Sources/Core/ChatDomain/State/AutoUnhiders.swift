import ChatModel
import DequeModule

/// Members who hid the channel until a new message arrives (`CH11`).
///
/// A message unhides the channel for all of them without an event for each: the channel is visible again for every
/// member who hid it before the newest message from someone else. Members stay in this list until they are notified.
struct AutoUnhiders {
    private struct Entry {
        let user: UserID
        /// The offset of the room's last event when the member hid the channel; `nil` if a snapshot says that it is
        /// visible again.
        let since: UInt64?
    }

    /// Sorted by user. A deque, because notified members are removed from the front.
    private var entries: Deque<Entry> = []
    private var newest: (offset: UInt64, sender: UserID?) = (0, nil)
    /// The offset of the newest message from anyone except the sender of `newest`.
    private var newestOfOthers: UInt64 = 0

    /// Returns whether the channel is visible again for a user who hid it this way.
    func isUnhidden(for user: UserID) -> Bool {
        let index = index(of: user)
        guard index < entries.count, entries[index].user == user else { return false }
        guard let since = entries[index].since else { return true }
        return (newest.sender == user ? newestOfOthers : newest.offset) > since
    }

    /// Returns the users, sorted by id, for whom this sender's message unhides the channel, and those who were not yet
    /// notified of an earlier one.
    func users(except sender: UserID?) -> some Sequence<UserID> {
        entries.lazy.map(\.user).filter { $0 != sender }
    }

    // MARK: evolve

    mutating func recordMessage(at offset: UInt64, from sender: UserID?) {
        if newest.sender != sender { newestOfOthers = newest.offset }
        newest = (offset, sender)
    }

    /// Names the alias of a deleted user as the author of messages.
    mutating func replaceSender(_ user: UserID, by alias: UserID) {
        if newest.sender == user { newest.sender = alias }
    }

    mutating func insert(_ user: UserID, since offset: UInt64?) {
        let index = index(of: user)
        if index < entries.count, entries[index].user == user {
            entries[index] = Entry(user: user, since: offset)
        } else {
            entries.insert(Entry(user: user, since: offset), at: index)
        }
    }

    mutating func remove(_ user: UserID) {
        let index = index(of: user)
        if index < entries.count, entries[index].user == user { entries.remove(at: index) }
    }

    /// Returns the number of entries before a user.
    private func index(of user: UserID) -> Int {
        // Entries from a snapshot arrive in order.
        guard let last = entries.last, !(last.user < user) else { return entries.count }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].user < user { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
