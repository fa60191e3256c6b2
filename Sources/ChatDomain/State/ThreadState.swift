import ChatModel

/// The replies of one parent.
struct ThreadState {
    /// Places in the channel's messages, ascending; without the deleted ones.
    private(set) var replies: [Int] = []
    /// 0 when there is no reply.
    private(set) var lastReplyAt: Int64 = 0
    /// The same by writer, ascending, none of them empty.
    private var repliesByUser: [UserID: [Int]] = [:]
    /// The first of the ranking, most replies first; earlier first repliers stand first among equals. Exact although
    /// it is kept step by step: by a new reply only the one who replied can rise into it, and a deleted one has it
    /// drawn up anew.
    private(set) var mostReplied: [UserID] = []

    /// `T4`
    static let mostRepliedLimit = 4

    mutating func append(_ index: Int, by user: UserID?, at: Int64) {
        replies.append(index)
        lastReplyAt = at
        guard let user else { return }
        repliesByUser[user, default: []].append(index)
        place(user)
    }

    /// - Parameter createdAt: The time of the message in a place.
    mutating func remove(_ index: Int, by user: UserID?, createdAt: (Int) -> Int64) {
        replies.removeSorted(index)
        lastReplyAt = replies.last.map(createdAt) ?? 0
        guard let user else { return }
        repliesByUser[user]?.removeSorted(index)
        if repliesByUser[user]?.isEmpty ?? false { repliesByUser[user] = nil }
        mostReplied = []
        for user in repliesByUser.keys { place(user) }
    }

    /// Puts one whose count has grown where they belong.
    private mutating func place(_ user: UserID) {
        if !mostReplied.contains(user) { mostReplied.append(user) }
        // Insertion keeps the order: at most one element is out of place.
        mostReplied.sort(by: ranksBefore)
        if mostReplied.count > Self.mostRepliedLimit { mostReplied.removeLast() }
    }

    private func ranksBefore(_ a: UserID, _ b: UserID) -> Bool {
        guard let first = repliesByUser[a], let second = repliesByUser[b] else { return false }
        return first.count != second.count ? first.count > second.count : (first.first ?? 0) < (second.first ?? 0)
    }
}

extension [Int] {
    /// Takes a number out of ascending ones.
    fileprivate mutating func removeSorted(_ element: Int) {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        if low < count, self[low] == element { remove(at: low) }
    }
}
