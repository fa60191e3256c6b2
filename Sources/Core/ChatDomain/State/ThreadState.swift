import ChatModel

/// The replies to one parent.
struct ThreadState {
    /// Without deleted replies.
    private(set) var replies = Places()
    private(set) var title: String?
    private(set) var data: String?
    /// 0 if there are no replies.
    private(set) var lastReplyAt: Int64 = 0
    /// The replies by sender; no entry is empty.
    private var repliesByUser = ShardedDictionary<UserID, Places>()
    /// The users who replied, ordered by their first reply.
    private(set) var repliers: [Replier] = []
    /// The top of the ranking by number of replies; ties go to the earlier first reply. Updated incrementally: a new
    /// reply can only raise its author, and a deleted one can only lower them.
    private(set) var mostReplied: [UserID] = []

    /// The largest value of the setting (`T4`): the ranking keeps this many, answers list as many as it allows.
    static let mostRepliedLimit = 20

    struct Replier {
        let user: UserID
        /// The place of the first reply.
        fileprivate let first: UInt32
        /// The number of replies. Kept here so that `bestOutside` needs no lookups.
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
        guard let user, let first = repliesByUser[user]?[0] else { return }
        if first == index { repliers.remove(at: firstReplier(from: first)) }
        repliesByUser.remove(index, of: user)
        recount(user)
        guard let rank = mostReplied.firstIndex(of: user) else { return }
        mostReplied.remove(at: rank)
        // A user outside the top may now rank higher; one pass finds them.
        if let best = bestOutside() { place(best) }
    }

    /// Updates the user's entry, or adds it, after a reply was added or removed.
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

    /// The index of the first replier whose first reply is at or after a place. Repliers are ordered by their first
    /// reply, so a binary search finds it.
    private func firstReplier(from place: Int) -> Int {
        var low = 0
        var high = repliers.count
        while low < high {
            let middle = low + (high - low) / 2
            if Int(repliers[middle].first) < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The best-ranked replier who is not in `mostReplied`. Compares numbers only, because there may be thousands.
    private func bestOutside() -> UserID? {
        let top = mostReplied.compactMap { repliesByUser[$0].map { firstReplier(from: $0[0]) } }.sorted()
        var best: Int?
        var count: Int32 = 0
        var start = 0
        // Between two of the top; ties go to the earlier first reply.
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

    /// The number of replies by others at or after a place.
    func unreadCount(of user: UserID, from place: Int) -> Int {
        replies.count(from: place) - (repliesByUser[user]?.count(from: place) ?? 0)
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        replies.first(from: place, notIn: repliesByUser[user] ?? Places())
    }
}
