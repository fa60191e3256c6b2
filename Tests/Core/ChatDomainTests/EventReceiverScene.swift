import ChatDomain
import ChatModel

/// One user per role: ann is an operator, bob a member, cat is invited, dan has left and eve is banned.
struct EventScene {
    static let muted: UserID = "mut"
    static let newcomer: UserID = "new"
    static let deactivated: UserID = "off"
    static let stranger: UserID = "str"
    static let everyone = [ann, bob, cat, dan, eve, muted, newcomer, deactivated, stranger]

    var chat = Chat(everyone)
    /// Bob's messages, with a reply and without.
    let parent: MessageID
    let message: MessageID

    init(isPublic: Bool) throws {
        try chat.asksBeforeJoining(cat)
        try chat.run(
            CreateChannel(
                id: general, userIDs: [bob, cat, dan, eve, Self.muted, Self.deactivated], operatorUserIDs: [ann],
                isPublic: isPublic), as: .user(ann))
        try chat.run(LeaveChannel(channelID: general), as: .user(dan))
        try chat.run(BanMember(channelID: general, userID: eve), as: .user(ann))
        try chat.run(MuteMember(channelID: general, userID: Self.muted), as: .user(ann))
        parent = try chat.say("parent", by: bob).id
        try chat.say("reply", by: bob, to: parent)
        message = try chat.say("message", by: bob).id
        try chat.run(DeactivateUser(userID: Self.deactivated), as: .server)
    }

    mutating func act(_ change: some Change, as user: UserID = ann) throws { try chat.run(change, as: .user(user)) }
    mutating func act(asServer change: some Change) throws { try chat.run(change, as: .server) }
    mutating func signal(_ signal: some Signal, as user: UserID) throws { try chat.signal(signal, as: .user(user)) }
}

/// The cause of an event and its receivers.
struct EventRow: Sendable {
    let type: EventType
    /// Receivers in the channel's room, with an offset.
    let channel: [UserID]
    /// Receivers in their own inbox, with an offset.
    let inbox: [UserID]
    /// Receivers of a transient event, without an offset.
    let moment: [UserID]
    let cause: @Sendable (inout EventScene) throws -> Void

    init(
        _ type: EventType, _ channel: [UserID] = [], inbox: [UserID] = [], moment: [UserID] = [],
        _ cause: @escaping @Sendable (inout EventScene) throws -> Void
    ) {
        self.type = type
        self.channel = channel
        self.inbox = inbox
        self.moment = moment
        self.cause = cause
    }

    /// The app's backend receives durable events by webhook (`L2`).
    var isForWebhooks: Bool { !channel.isEmpty || !inbox.isEmpty }
}
