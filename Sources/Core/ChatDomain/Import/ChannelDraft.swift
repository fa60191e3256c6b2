import ChatModel

/// A hidden channel as the lines of a batch leave it, before any of them is recorded.
struct ChannelDraft {
    private struct Reactor: Hashable {
        let message: MessageID
        let key: String
        let user: UserID
    }

    private struct ClientKey: Hashable {
        let sender: UserID?
        let clientID: [UInt8]
    }

    private let existing: HiddenChannel?
    let isEphemeral: Bool
    let createdAt: Int64
    let memberLimit: Int
    /// The offset of the last record.
    private(set) var top: UInt64
    /// When the last message was sent, in milliseconds since 1970; 0 if there is none.
    private(set) var lastMessageAt: Int64
    private(set) var memberCount: Int
    private(set) var operatorCount: Int
    private(set) var invitationCount: Int
    /// What the batch adds.
    private var people: [UserID: MembershipState] = [:]
    private var messages: [Int: StoredMessage] = [:]
    private var reactors: Set<Reactor> = []
    private var clientIDs: Set<ClientKey> = []

    init(_ existing: HiddenChannel, _ settings: ChatSettings) {
        self.existing = existing
        let state = existing.state
        isEphemeral = state.isEphemeral
        createdAt = state.createdAt
        memberLimit = state.memberLimit(settings)
        top = state.top
        lastMessageAt = state.messages.last?.createdAt ?? 0
        memberCount = state.memberCount
        operatorCount = state.operators.count
        invitationCount = state.invitations.count
    }

    /// A channel that the batch creates.
    init(new channel: Event.ChannelCreated, at: Int64, _ settings: ChatSettings) {
        existing = nil
        isEphemeral = channel.isEphemeral
        createdAt = at
        memberLimit = channel.isSuper ? settings.membersPerSuperChannel : settings.membersPerChannel
        top = 1
        lastMessageAt = 0
        memberCount = 0
        operatorCount = 0
        invitationCount = 0
    }

    /// - Returns: `.none` for a user who is neither a member nor invited.
    func membership(of user: UserID) -> MembershipState {
        if let state = people[user] { return state }
        if existing?.state.members[user] != nil { return .joined }
        return existing?.state.invitations[user] != nil ? .invited : .none
    }

    /// Returns whether the channel has space for a ban or mute; the sanctions of one batch may exceed the limit.
    func hasRoom(for user: UserID, in list: KeyPath<ChannelState, SanctionList>, at now: Int64) -> Bool {
        existing?.state[keyPath: list].hasRoom(for: user, at: now) ?? true
    }

    /// Returns the message with the same hash of its original id.
    func message(_ id: ImportedID) -> StoredMessage? { messages[id.key] ?? existing?.message(id.key) }

    func has(clientID: String, of sender: UserID?) -> Bool {
        existing?.state.place(clientID: clientID, of: sender) != nil
            || clientIDs.contains(ClientKey(sender: sender, clientID: Array(clientID.utf8)))
    }

    func hasReacted(_ user: UserID, to message: MessageID, _ key: String) -> Bool {
        reactors.contains(Reactor(message: message, key: key, user: user))
            || existing?.state.reactions(on: message)?[key]?.contains(user) ?? false
    }

    // MARK: What the batch adds

    /// Returns the offset of the next record.
    mutating func advance() -> UInt64 {
        top += 1
        return top
    }

    mutating func add(_ user: UserID, _ state: MembershipState, _ role: MemberRole) {
        people[user] = state
        memberCount += 1
        if role == .operator { operatorCount += 1 }
        if state == .invited { invitationCount += 1 }
    }

    mutating func add(_ sent: Event.MessageSent, _ id: ImportedID, at: Int64, deletedAt: Int64?) {
        var message = StoredMessage(sent, offset: advance(), at: at)
        if let deletedAt { message.delete(at: deletedAt) }
        messages[id.key] = message
        lastMessageAt = at
        if let clientID = sent.clientID {
            clientIDs.insert(ClientKey(sender: sent.sender, clientID: Array(clientID.utf8)))
        }
    }

    mutating func addReaction(_ key: String, to message: MessageID, by user: UserID) {
        reactors.insert(Reactor(message: message, key: key, user: user))
    }
}
