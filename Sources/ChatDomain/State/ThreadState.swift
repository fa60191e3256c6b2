import ChatModel

/// The replies of one parent.
struct ThreadState {
    /// Without the deleted ones.
    private(set) var replies = Places()
    private(set) var title: String?
    private(set) var data: String?
    /// 0 when there is no reply.
    private(set) var lastReplyAt: Int64 = 0
    /// The same by writer, none of them empty.
    private var repliesByUser: [UserID: Places] = [:]
    /// Who replied, earlier first repliers first.
    private(set) var repliers: [UserID] = []
    /// The first of the ranking, most replies first; earlier first repliers stand first among equals. Exact although
    /// it is kept step by step: by a new reply only the one who replied can rise into it, and a deleted one has it
    /// drawn up anew.
    private(set) var mostReplied: [UserID] = []

    /// The largest value of the setting (`T4`); the ranking is kept for it, and answers name as many as the setting says.
    static let mostRepliedLimit = 20

    mutating func append(_ index: Int, by user: UserID?, at: Int64) {
        replies.insert(index)
        lastReplyAt = at
        guard let user else { return }
        if repliesByUser[user] == nil { repliers.append(user) }
        repliesByUser.insert(index, of: user)
        place(user)
    }

    /// - Parameter createdAt: The time of the message in a place.
    mutating func remove(_ index: Int, by user: UserID?, createdAt: (Int) -> Int64) {
        replies.remove(index)
        lastReplyAt = replies.last.map(createdAt) ?? 0
        guard let user else { return }
        repliesByUser.remove(index, of: user)
        repliers = repliesByUser.map { (user: $0.key, first: $0.value[0]) }.sorted { $0.first < $1.first }.map(\.user)
        mostReplied = []
        for user in repliesByUser.keys { place(user) }
    }

    /// Puts one whose count has grown where they belong.
    private mutating func place(_ user: UserID) {
        var index = mostReplied.firstIndex(of: user) ?? mostReplied.count
        if index == mostReplied.count { mostReplied.append(user) }
        // Nobody else is out of place.
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

    /// What others replied from a place on.
    func unreadCount(of user: UserID, from place: Int) -> Int {
        replies.count(from: place) - (repliesByUser[user]?.count(from: place) ?? 0)
    }

    func firstUnread(of user: UserID, from place: Int) -> Int? {
        replies.first(from: place, notIn: repliesByUser[user] ?? Places())
    }
}
