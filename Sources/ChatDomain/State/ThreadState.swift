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
    private var repliesByUser: [UserID: Places] = [:]
    /// The users who replied, ordered by their first reply.
    private(set) var repliers: [UserID] = []
    /// The top of the ranking by number of replies; ties go to the earlier first reply. Updated incrementally: a new
    /// reply can only raise its author, and a deleted one can only lower them.
    private(set) var mostReplied: [UserID] = []

    /// The largest value of the setting (`T4`): the ranking keeps this many, answers list as many as it allows.
    static let mostRepliedLimit = 20

    mutating func append(_ index: Int, by user: UserID?, at: Int64) {
        replies.insert(index)
        lastReplyAt = at
        guard let user else { return }
        if repliesByUser[user] == nil { repliers.append(user) }
        repliesByUser.insert(index, of: user)
        place(user)
    }

    /// - Parameter createdAt: Gives the time of the message at a place.
    mutating func remove(_ index: Int, by user: UserID?, createdAt: (Int) -> Int64) {
        replies.remove(index)
        lastReplyAt = replies.last.map(createdAt) ?? 0
        guard let user, let first = repliesByUser[user]?[0] else { return }
        if first == index { repliers.remove(at: firstReplier(from: first)) }
        repliesByUser.remove(index, of: user)
        let next = repliesByUser[user].map { $0[0] }
        if first == index, let next { repliers.insert(user, at: firstReplier(from: next)) }
        guard let rank = mostReplied.firstIndex(of: user) else { return }
        mostReplied.remove(at: rank)
        // A user outside the top may now rank higher; one pass finds them.
        if let best = bestOutside() { place(best) }
    }

    /// The index of the first replier whose first reply is at or after a place. Repliers are ordered by their first
    /// reply, so a binary search finds it.
    private func firstReplier(from place: Int) -> Int {
        var low = 0
        var high = repliers.count
        while low < high {
            let middle = low + (high - low) / 2
            if let first = repliesByUser[repliers[middle]]?[0], first < place {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The best-ranked replier who is not in `mostReplied`.
    private func bestOutside() -> UserID? {
        guard mostReplied.count < repliesByUser.count else { return nil }
        var best: (user: UserID, count: Int, first: Int)?
        for (user, replies) in repliesByUser {
            let (count, first) = (replies.count, replies[0])
            if let best, count < best.count || count == best.count && first > best.first { continue }
            if !mostReplied.contains(user) { best = (user, count, first) }
        }
        return best?.user
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
