import ChatModel

/// The replies of one parent.
struct ThreadState {
    /// Places in the channel's messages, ascending.
    private(set) var replies: [Int] = []
    private(set) var lastReplyAt: Int64 = 0
    private var repliesByUser: [UserID: Replier] = [:]
    /// The first of the ranking, most replies first; earlier first repliers stand first among equals. Exact although
    /// it is kept step by step: a count only grows, so only the one who replied can rise into it.
    private(set) var mostReplied: [UserID] = []

    private struct Replier {
        var count: Int
        let firstReply: Int
    }

    /// `T4`
    static let mostRepliedLimit = 4

    mutating func append(_ index: Int, by user: UserID?, at: Int64) {
        replies.append(index)
        lastReplyAt = at
        guard let user else { return }
        repliesByUser[user, default: Replier(count: 0, firstReply: index)].count += 1
        if !mostReplied.contains(user) { mostReplied.append(user) }
        // Insertion keeps the order: at most one element is out of place.
        mostReplied.sort(by: ranksBefore)
        if mostReplied.count > Self.mostRepliedLimit { mostReplied.removeLast() }
    }

    private func ranksBefore(_ a: UserID, _ b: UserID) -> Bool {
        guard let first = repliesByUser[a], let second = repliesByUser[b] else { return false }
        return first.count != second.count ? first.count > second.count : first.firstReply < second.firstReply
    }
}
