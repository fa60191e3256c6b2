import ChatModel

struct NaiveChannel {
    struct Joined {
        var role: MemberRole
        var at: Int64
        var by: UserID?
        /// The number of the channel's first messages that are hidden from this member.
        var hidden: Int
        /// The number of messages that existed when this member joined.
        var present = 0
        /// The number of first messages that are read, and its maximum so far.
        var read = 0
        var mostRead = 0
        var away = HiddenState.unhidden
        /// The number of the channel's first messages that are read in each thread, by parent.
        var threadRead: [MessageID: Int] = [:]
    }

    struct Invited {
        var by: UserID?
        var role: MemberRole
        var at: Int64
    }

    struct Sanction {
        var until: Int64
        var description: String?
        var at: Int64
        var by: UserID?
        /// Whether the banned user was not told.
        var isOutsider = false
    }

    /// The identity by which a distinct channel is found again.
    struct Claim: Equatable {
        var people: Set<UserID>
        var customType: String?
    }

    let id: ChannelID
    var name = ""
    var isPublic = false
    var isSuper = false
    var isEphemeral = false
    var messageSeconds: Int?
    var slowModeSeconds: Int?
    /// When each user sent their last message in slow mode.
    var lastSent: [UserID: Int64] = [:]
    /// The limits of its retention; `nil` for none.
    var keptSeconds: Int?
    var keptCount: Int?
    /// The client ids of removed messages, with their senders.
    var removedClientIDs: [(id: String, sender: UserID?)] = []
    var isFrozen = false
    var claim: Claim?
    var customType: String?
    var data: String?
    var coverURL: String?
    var metadata: [String: String] = [:]
    var createdAt: Int64
    var createdBy: UserID?
    var joined: [UserID: Joined] = [:]
    var invited: [UserID: Invited] = [:]
    /// The bans, including expired ones.
    var bans: [UserID: Sanction] = [:]
    var mutes: [UserID: Sanction] = [:]
    var messages: [NaiveMessage] = []
    var threadTitles: [MessageID: String] = [:]
    var threadData: [MessageID: String] = [:]

    init(id: ChannelID, createdAt: Int64, createdBy: UserID?) {
        self.id = id
        self.createdAt = createdAt
        self.createdBy = createdBy
    }

    var size: Int { joined.count + invited.count }

    func isThere(_ user: UserID) -> Bool { joined[user] != nil || invited[user] != nil }

    func role(of user: UserID) -> MemberRole? { joined[user]?.role ?? invited[user]?.role }

    /// Returns the number of messages hidden from the reader; the server sees all.
    func hidden(from user: UserID?) -> Int {
        guard let user else { return 0 }
        return joined[user]?.hidden ?? messages.count
    }

    func index(of id: MessageID) -> Int? { messages.firstIndex { $0.id == id } }

    /// Returns the indexes of a message's existing replies, oldest first.
    func replies(to id: MessageID) -> [Int] {
        messages.indices.filter { messages[$0].parent == id && messages[$0].deletedAt == nil }
    }
}

struct NaiveMessage {
    struct Content: Equatable {
        var text: String
        var customType: String?
        var data: String?
        var mentions: Mentioned?
    }

    enum Mentioned: Equatable {
        case everyone
        case people([UserID])
    }

    struct Toggle {
        var key: String
        var user: UserID
        var isAdded: Bool
        var at: Int64
    }

    let id: MessageID
    let at: Int64
    let isAdmin: Bool
    var sender: UserID?
    var clientID: String?
    let parent: MessageID?
    let toChannel: Bool
    let expiresAt: Int64?
    /// The content as sent.
    let original: Content
    var content: Content
    var updatedAt: Int64?
    var deletedAt: Int64?
    /// All changes ever made to its reactions.
    var toggles: [Toggle] = []

    struct Reacted {
        var key: String
        var users: [UserID]
        var updatedAt: Int64
    }

    /// The resulting reactions and the time of the last change; each change is later than the previous one.
    var reactions: (keys: [Reacted], updatedAt: Int64?) {
        var keys: [Reacted] = []
        var last: Int64?
        for toggle in toggles {
            let at = last.map { max($0 + 1, toggle.at) } ?? toggle.at
            last = at
            var users = keys.first { $0.key == toggle.key }?.users ?? []
            users.removeAll { $0 == toggle.user }
            if toggle.isAdded { users.append(toggle.user) }
            let reacted = Reacted(key: toggle.key, users: users, updatedAt: at)
            if let index = keys.firstIndex(where: { $0.key == toggle.key }) {
                keys[index] = reacted
            } else {
                keys.append(reacted)
            }
            keys.removeAll { $0.users.isEmpty }
        }
        return (keys, last)
    }
}
