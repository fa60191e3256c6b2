import ChatModel
import DequeModule

/// Members who hid the channel until a new message comes (`CH11`).
///
/// A message brings the channel back for all of them at once, and nothing is written for each of them: whoever hid it before the
/// newest message of someone else has it back. They stay in this list until they have been told.
struct AutoUnhiders {
    private struct Entry {
        let user: UserID
        /// The offset of the room's last event when they hid the channel.
        let since: UInt64
    }

    /// By user. A deque, because those who are told are taken from its beginning.
    private var entries: Deque<Entry> = []
    private var newest: (offset: UInt64, sender: UserID?) = (0, nil)
    /// The offset of the newest message of anyone but that sender.
    private var newestOfOthers: UInt64 = 0

    /// Whether the channel is back for someone who has hidden it so.
    func isBack(for user: UserID) -> Bool {
        let index = index(of: user)
        guard index < entries.count, entries[index].user == user else { return false }
        return (newest.sender == user ? newestOfOthers : newest.offset) > entries[index].since
    }

    /// Those whom a message of this sender brings the channel back for, and those who have not been told of an earlier one; by id.
    func people(besides sender: UserID?) -> some Sequence<UserID> {
        entries.lazy.map(\.user).filter { $0 != sender }
    }

    // MARK: evolve

    mutating func messageCame(at offset: UInt64, from sender: UserID?) {
        if newest.sender != sender { newestOfOthers = newest.offset }
        newest = (offset, sender)
    }

    mutating func insert(_ user: UserID, since offset: UInt64) {
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

    /// How many stand before a user.
    private func index(of user: UserID) -> Int {
        // Taken in from a snapshot they come in order.
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
