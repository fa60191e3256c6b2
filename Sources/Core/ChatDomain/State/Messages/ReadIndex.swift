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
    private var bySender = ShardedDictionary<UserID, Places>()
    private var namedMentions = ShardedDictionary<UserID, Places>()
    /// The messages that mention the whole channel: all of them, and by sender.
    private var channelMentions = Places()
    private var channelMentionsBySender = ShardedDictionary<UserID, Places>()

    /// The messages that appear in the channel and are not replies.
    var topLevel: Places { parents ?? inChannel }

    mutating func add(_ place: Int, _ message: StoredMessage) {
        add(place, isReply: message.parent != nil)
        if let sender = message.sender { bySender.insert(place, of: sender) }
        addMentions(place, message.mentions, by: message.sender)
    }

    /// Adds a message without its sender and mentions.
    mutating func add(_ place: Int, isReply: Bool) {
        if isReply { parents = topLevel } else { parents?.insert(place) }
        inChannel.insert(place)
    }

    /// Adds the sender of messages that were added.
    mutating func add(_ places: Places, of sender: UserID) {
        if !places.isEmpty { bySender.change(sender, default: Places()) { $0.insert(places) } }
    }

    mutating func remove(_ place: Int, _ message: StoredMessage) {
        inChannel.remove(place)
        parents?.remove(place)
        if let sender = message.sender { bySender.remove(place, of: sender) }
        removeMentions(place, message)
    }

    mutating func addMentions(_ place: Int, _ mentions: Mentions?, by sender: UserID?) {
        switch mentions {
        case .channel:
            channelMentions.insert(place)
            if let sender { channelMentionsBySender.insert(place, of: sender) }
        case .users(let users):
            // A user's own messages never count as unread, even if they mention the user.
            for user in users where user != sender { namedMentions.insert(place, of: user) }
        case nil: break
        }
    }

    mutating func removeMentions(_ place: Int, _ message: StoredMessage) {
        switch message.mentions {
        case .channel:
            channelMentions.remove(place)
            if let sender = message.sender { channelMentionsBySender.remove(place, of: sender) }
        case .users(let users): for user in users { namedMentions.remove(place, of: user) }
        case nil: break
        }
    }

    /// Names the alias of a deleted user as the sender of the messages in a range.
    mutating func replaceSender(_ user: UserID, by alias: UserID, in range: Range<Int>) {
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
    ///   - senders: Their senders.
    ///   - mentioned: The users whom they mention by id.
    mutating func trim(before place: Int, senders: Set<UserID>, mentioned: Set<UserID>) {
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
    func unreadCount(of user: UserID, from place: Int) -> Int {
        let count = inChannel.count(from: place)
        return count == 0 ? 0 : count - (bySender[user]?.count(from: place) ?? 0)
    }

    func unreadMentionCount(of user: UserID, from place: Int) -> Int {
        let named = namedMentions[user]?.count(from: place) ?? 0
        let ofChannel = channelMentions.count(from: place)
        return ofChannel == 0 ? named : named + ofChannel - (channelMentionsBySender[user]?.count(from: place) ?? 0)
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        inChannel.first(from: place, notIn: bySender[user] ?? Places())
    }
}
