import ChatModel

/// The users that another node has connected, as far as its messages tell.
///
/// Each message continues the one before. If one is missing, the node is asked for its users, page by page; what it tells
/// meanwhile is applied afterwards.
struct RemotePresence {
    struct Difference: Equatable {
        var connected: [UserID] = []
        var disconnected: [UserID] = []

        var isEmpty: Bool { connected.isEmpty && disconnected.isEmpty }
    }

    /// Some changes, and the number of changes before them.
    struct Changes {
        let before: UInt64
        let changes: [(user: UserID, isConnected: Bool)]

        var end: UInt64 { before &+ UInt64(changes.count) }
    }

    private struct Question {
        let number: Int
        /// The number of changes that the first page contains.
        var base: UInt64?
        var users: Set<UserID> = []
        /// What arrived meanwhile.
        var later: [Changes] = []
        var laterCount = 0
    }

    /// The greatest number of users, and of changes kept while a question is under way. A node has far fewer connections.
    static let limit = 2_000_000

    private let limit: Int
    private(set) var users: Set<UserID> = []
    private var count: UInt64 = 0
    private var isKnown = false
    private var question: Question?
    /// When the node was last heard, in milliseconds.
    var heard: Int64

    /// - Parameter limit: Smaller in tests.
    init(at now: Int64, limit: Int = Self.limit) { (heard, self.limit) = (now, limit) }

    /// Whether the question with this number is not answered completely yet.
    func isAsking(_ number: Int) -> Bool { question?.number == number }

    /// - Returns: What changed. Afterwards, `needsQuestion` may be set.
    mutating func receive(_ news: Changes, at now: Int64) -> Difference {
        heard = now
        guard let asked = question else { return apply(news) }
        // More than that is noticed as a gap.
        if asked.laterCount + news.changes.count <= limit {
            question?.later.append(news)
            question?.laterCount += news.changes.count
        }
        return Difference()
    }

    /// Whether the node must be asked for its users, from the first page on.
    var needsQuestion: Bool { !isKnown && question == nil }

    /// The node is asked for its first page.
    ///
    /// - Parameter number: Not used before, because pages that answer an earlier question would leave users out.
    mutating func ask(_ number: Int) { question = Question(number: number) }

    /// The question was not answered.
    mutating func giveUp() { question = nil }

    /// - Returns: What changed, after the last page.
    mutating func receive(page: [UserID], changes: UInt64, isLast: Bool) -> Difference {
        guard var question, question.users.count + page.count <= limit else { return Difference() }
        if question.base == nil { question.base = changes }
        question.users.formUnion(page)
        self.question = question
        guard isLast else { return Difference() }
        self.question = nil
        var difference = Difference(
            connected: question.users.subtracting(users).sorted(),
            disconnected: users.subtracting(question.users).sorted())
        users = question.users
        count = question.base ?? changes
        isKnown = true
        for later in question.later {
            let more = apply(later)
            difference.connected += more.connected
            difference.disconnected += more.disconnected
        }
        return difference
    }

    private mutating func apply(_ news: Changes) -> Difference {
        guard isKnown, news.before <= count else {
            isKnown = false
            return Difference()
        }
        var difference = Difference()
        guard news.end > count else { return difference }
        for (user, isConnected) in news.changes.dropFirst(Int(count - news.before)) {
            if isConnected {
                if users.count < limit, users.insert(user).inserted { difference.connected.append(user) }
            } else if users.remove(user) != nil {
                difference.disconnected.append(user)
            }
        }
        count = news.end
        return difference
    }
}
