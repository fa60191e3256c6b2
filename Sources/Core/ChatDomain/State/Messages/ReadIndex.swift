import ChatModel

/// An index of the messages that appear in the channel and are not deleted, with their senders and mentions. Used for
/// lists and unread counts.
///
/// Stores nothing per member and message: sending updates the entries of the sender and the users mentioned by id, and
/// counting takes a few binary searches (`U1`).
struct ReadIndex {
    private(set) var inChannel = Places()
    /// The messages that are not replies; `nil` while no reply appears in the channel, because then `inChannel` is the
    /// same.
    private var parents: Places?
    private var bySender = PlacesBySender()
    private var namedMentions = ShardedDictionary<UserID, Places>()
    /// The messages that mention the whole channel: all of them, and by sender.
    private var channelMentions = Places()
    private var channelMentionsBySender = PlacesBySender()

    /// The messages that appear in the channel and are not replies.
    var topLevel: Places { parents ?? inChannel }

    /// Adds a message without its mentions.
    ///
    /// - Parameter sender: The number of the sender in the channel.
    mutating func add(_ place: Int, isReply: Bool, by sender: UInt32) {
        if isReply { parents = topLevel } else { parents?.insert(place) }
        inChannel.insert(place)
        bySender.insert(place, of: sender)
    }

    mutating func remove(_ place: Int, _ mentions: Mentions?, by sender: UInt32) {
        inChannel.remove(place)
        parents?.remove(place)
        bySender.remove(place, of: sender)
        removeMentions(place, mentions, by: sender)
    }

    /// - Parameter name: The sender.
    mutating func addMentions(_ place: Int, _ mentions: Mentions?, by sender: UInt32, _ name: UserID?) {
        switch mentions {
        case .channel:
            channelMentions.insert(place)
            channelMentionsBySender.insert(place, of: sender)
        case .users(let users):
            // A user's own messages never count as unread, even if they mention the user.
            for user in users where user != name { namedMentions.insert(place, of: user) }
        case nil: break
        }
    }

    mutating func removeMentions(_ place: Int, _ mentions: Mentions?, by sender: UInt32) {
        switch mentions {
        case .channel:
            channelMentions.remove(place)
            channelMentionsBySender.remove(place, of: sender)
        case .users(let users): for user in users { namedMentions.remove(place, of: user) }
        case nil: break
        }
    }

    /// Names the alias of a deleted user as the sender of the messages in a range.
    mutating func replaceSender(_ user: UInt32, by alias: UInt32, in range: Range<Int>) {
        bySender.move(range, of: user, to: alias)
        channelMentionsBySender.move(range, of: user, to: alias)
    }

    /// Names the alias of a deleted user as a user mentioned by a message.
    mutating func replaceMention(of user: UserID, by alias: UserID, at place: Int) {
        namedMentions.move(place..<place + 1, of: user, to: alias)
    }

    /// Removes the messages before a place.
    ///
    /// - Parameters:
    ///   - senders: The numbers of their senders.
    ///   - mentioned: The users whom they mention by id.
    mutating func trim(before place: Int, senders: Set<UInt32>, mentioned: Set<UserID>) {
        inChannel.removeAll(before: place)
        parents?.removeAll(before: place)
        channelMentions.removeAll(before: place)
        for sender in senders {
            bySender.removeAll(before: place, of: sender)
            channelMentionsBySender.removeAll(before: place, of: sender)
        }
        for user in mentioned { namedMentions.removeAll(before: place, of: user) }
    }

    /// Returns the number of messages from others at or after a place.
    ///
    /// - Parameter sender: The user's number as a sender; asked for only if there is a message.
    func unreadCount(from place: Int, _ sender: () -> UInt32?) -> Int {
        let count = inChannel.count(from: place)
        return count == 0 ? 0 : count - bySender[sender()].count(from: place)
    }

    /// - Parameter sender: The user's number as a sender; asked for only if there is a message.
    func unreadMentionCount(of user: UserID, from place: Int, _ sender: () -> UInt32?) -> Int {
        let named = namedMentions[user]?.count(from: place) ?? 0
        let ofChannel = channelMentions.count(from: place)
        return ofChannel == 0 ? named : named + ofChannel - channelMentionsBySender[sender()].count(from: place)
    }

    /// - Parameter sender: The user's number as a sender.
    func firstUnread(from place: Int, _ sender: UInt32?) -> Int? {
        inChannel.first(from: place, notIn: bySender[sender])
    }
}

/// Places by the number of the sender in the channel's `NumberedUsers`, without those of the app itself.
private struct PlacesBySender {
    private var places: [Places] = []

    subscript(sender: UInt32?) -> Places {
        guard let sender, sender < places.count else { return Places() }
        return places[Int(sender)]
    }

    mutating func insert(_ place: Int, of sender: UInt32) {
        guard sender > 0 else { return }
        grow(for: sender)
        places[Int(sender)].insert(place)
    }

    mutating func remove(_ place: Int, of sender: UInt32) {
        if sender < places.count { places[Int(sender)].remove(place) }
    }

    mutating func removeAll(before place: Int, of sender: UInt32) {
        if sender < places.count { places[Int(sender)].removeAll(before: place) }
    }

    /// Gives a sender's places in a range to another one.
    mutating func move(_ range: Range<Int>, of sender: UInt32, to other: UInt32) {
        guard sender < places.count else { return }
        let moved = places[Int(sender)].removeAll(in: range)
        if moved.isEmpty { return }
        grow(for: other)
        places[Int(other)].insert(moved)
    }

    private mutating func grow(for sender: UInt32) {
        while places.count <= sender { places.append(Places()) }
    }
}
