import ChatModel

/// What a channel's lists and unread counts are drawn from: the messages that stand in the channel, without the deleted
/// ones, and which of them are whose and mention whom.
///
/// Nothing is kept per member and message: a send touches the sender and those it mentions by name, and a count is a few
/// binary searches (`U1`).
struct ReadIndex {
    private(set) var standing = Places()
    /// Those among them that are no replies; `nil` while no reply stands in the channel and the two are the same.
    private var parents: Places?
    private var bySender: [UserID: Places] = [:]
    private var namedMentions: [UserID: Places] = [:]
    /// Messages that mention the whole channel, all and by sender.
    private var channelMentions = Places()
    private var channelMentionsBySender: [UserID: Places] = [:]

    /// What stands in the channel and is no reply.
    var topLevel: Places { parents ?? standing }

    mutating func add(_ place: Int, _ message: StoredMessage) {
        if message.parent == nil { parents?.insert(place) } else { parents = topLevel }
        standing.insert(place)
        if let sender = message.sender { bySender.insert(place, of: sender) }
        addMentions(place, message)
    }

    mutating func remove(_ place: Int, _ message: StoredMessage) {
        standing.remove(place)
        parents?.remove(place)
        if let sender = message.sender { bySender.remove(place, of: sender) }
        removeMentions(place, message)
    }

    mutating func addMentions(_ place: Int, _ message: StoredMessage) {
        switch message.mentions {
        case .channel:
            channelMentions.insert(place)
            if let sender = message.sender { channelMentionsBySender.insert(place, of: sender) }
        case .users(let users):
            // One's own messages never count, whoever they name.
            for user in users where user != message.sender { namedMentions.insert(place, of: user) }
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

    /// What others wrote from a place on.
    func unreadCount(of user: UserID, from place: Int) -> Int {
        let count = standing.count(from: place)
        return count == 0 ? 0 : count - (bySender[user]?.count(from: place) ?? 0)
    }

    func unreadMentionCount(of user: UserID, from place: Int) -> Int {
        let named = namedMentions[user]?.count(from: place) ?? 0
        let ofChannel = channelMentions.count(from: place)
        return ofChannel == 0 ? named : named + ofChannel - (channelMentionsBySender[user]?.count(from: place) ?? 0)
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        standing.first(from: place, notIn: bySender[user] ?? Places())
    }
}
