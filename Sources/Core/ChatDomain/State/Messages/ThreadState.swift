import ChatModel

/// The replies to one parent.
struct ThreadState {
    /// The replies that are not deleted.
    private(set) var replies = Places()
    private(set) var title: String?
    private(set) var data: String?
    /// The time of the last reply; 0 if there are none.
    private(set) var lastReplyAt: Int64 = 0
    /// The replies by sender; no entry is empty.
    private var repliesByUser = ShardedDictionary<UserID, Places>()
    /// The users who replied, ordered by their first replies.
    private(set) var repliers: [Replier] = []
    /// The users with the most replies; ties go to the earlier first reply. Updated incrementally: a new reply can only
    /// raise its author in the ranking, and a deletion can only lower them.
    private(set) var mostReplied: [UserID] = []

    /// The maximum of the setting (`T4`). The ranking keeps this many users; responses list as many as the setting
    /// allows.
    static let mostRepliedLimit = 20

    struct Replier {
        let user: UserID
        /// The place of the user's first reply.
        fileprivate let first: UInt32
        /// The number of replies, kept here so that `bestOutside` needs no lookups.
        fileprivate var count: Int32
    }

    mutating func append(_ index: Int, by user: UserID?, at: Int64) {
        replies.insert(index)
        lastReplyAt = at
        guard let user else { return }
        repliesByUser.insert(index, of: user)
        recount(user)
        place(user)
    }

    /// - Parameter createdAt: Returns the time of the message at a place.
    mutating func remove(_ index: Int, by user: UserID?, createdAt: (Int) -> Int64) {
        replies.remove(index)
        lastReplyAt = replies.last.map(createdAt) ?? 0
        if let user { remove(index, of: user) }
    }

    /// Names the alias of a deleted user as the author of a reply.
    mutating func replaceAuthor(_ user: UserID, by alias: UserID, of index: Int) {
        guard repliesByUser[user]?.contains(index) ?? false else { return }
        remove(index, of: user)
        repliesByUser.insert(index, of: alias)
        recount(alias)
        place(alias)
    }

    private mutating func remove(_ index: Int, of user: UserID) {
        guard let first = repliesByUser[user]?[0] else { return }
        if first == index { repliers.remove(at: firstReplier(from: first)) }
        repliesByUser.remove(index, of: user)
        recount(user)
        guard let rank = mostReplied.firstIndex(of: user) else { return }
        mostReplied.remove(at: rank)
        // A user outside the ranking may now belong in it; one pass finds them.
        if let best = bestOutside() { place(best) }
    }

    /// Updates or adds the user's entry after a reply was added or removed.
    private mutating func recount(_ user: UserID) {
        guard let replies = repliesByUser[user] else { return }
        let replier = Replier(user: user, first: UInt32(clamping: replies[0]), count: Int32(clamping: replies.count))
        let index = firstReplier(from: replies[0])
        if index < repliers.count, repliers[index].first == replier.first {
            repliers[index].count = replier.count
        } else {
            repliers.insert(replier, at: index)
        }
    }

    /// Returns the index of the first replier whose first reply is at or after a place; binary search.
    private func firstReplier(from place: Int) -> Int {
        var low = 0
        var high = repliers.count
        while low < high {
            let middle = low + (high - low) / 2
            if Int(repliers[middle].first) < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the best replier outside `mostReplied`. Compares only numbers, because there may be thousands of
    /// repliers.
    private func bestOutside() -> UserID? {
        let top = mostReplied.compactMap { repliesByUser[$0].map { firstReplier(from: $0[0]) } }.sorted()
        var best: Int?
        var count: Int32 = 0
        var start = 0
        // Search between the users of the ranking; ties go to the earlier first reply.
        for end in top + [repliers.count] {
            for index in start..<max(start, end) where repliers[index].count > count {
                (best, count) = (index, repliers[index].count)
            }
            start = end + 1
        }
        return best.map { repliers[$0].user }
    }

    /// Moves a user whose count has grown to the right rank.
    private mutating func place(_ user: UserID) {
        var index = mostReplied.firstIndex(of: user) ?? mostReplied.count
        if index == mostReplied.count { mostReplied.append(user) }
        // All others are in order.
        while index > 0, ranksBefore(user, mostReplied[index - 1]) {
            mostReplied.swapAt(index, index - 1)
            index -= 1
        }
        if mostReplied.count > Self.mostRepliedLimit { mostReplied.removeLast() }
    }

    private func ranksBefore(_ a: UserID, _ b: UserID) -> Bool {
        guard let first = repliesByUser[a], let second = repliesByUser[b] else { return false }
        return first.count != second.count ? first.count > second.count : first[0] < second[0]
    }

    mutating func update(_ updated: Event.ThreadUpdated) {
        if let title = updated.title { self.title = title.isEmpty ? nil : title }
        if let data = updated.data { self.data = data.isEmpty ? nil : data }
    }

    mutating func update(_ part: ThreadPart) {
        title = part.title
        data = part.data
    }

    func replyCount(of user: UserID) -> Int { repliesByUser[user]?.count ?? 0 }

    /// Returns the number of replies from others at or after a place.
    func unreadCount(of user: UserID, from place: Int) -> Int {
        replies.count(from: place) - (repliesByUser[user]?.count(from: place) ?? 0)
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        replies.first(from: place, notIn: repliesByUser[user] ?? Places())
    }
}
