import ChatDomain
import ChatModel

/// What the people of a test say and do.
extension Chat {
    @discardableResult
    mutating func create(
        _ id: ChannelID = general, by creator: UserID = ann, with users: [UserID] = [], isPublic: Bool = false,
        isDistinct: Bool = false
    ) throws -> Channel {
        try run(
            CreateChannel(id: id, userIDs: users, isPublic: isPublic, isDistinct: isDistinct), as: .user(creator)
        ).channel
    }

    @discardableResult
    mutating func say(
        _ text: String, by user: UserID = ann, in channel: ChannelID = general, to parent: MessageID? = nil,
        alsoInChannel: Bool? = nil, customType: String? = nil
    ) throws -> Message {
        try run(
            SendMessage(
                channelID: channel, text: text, parentMessageID: parent, replyToChannel: alsoInChannel,
                customType: customType), as: .user(user)
        ).message
    }

    mutating func asksBeforeJoining(_ user: UserID) throws {
        try run(UpdatePreferences(autoAcceptInvitations: false), as: .user(user))
    }

    mutating func invite(
        _ users: [UserID], to channel: ChannelID = general, by user: UserID = ann
    ) throws -> InviteToChannel.Response {
        try run(InviteToChannel(channelID: channel, userIDs: users), as: .user(user))
    }

    /// Returns the text of every message the user can list, oldest first.
    mutating func texts(for user: UserID, in channel: ChannelID = general) throws -> [String] {
        var pages: [[String]] = []
        var token: String?
        repeat {
            let page = try ask(
                ListMessages(channelID: channel, next: token.map(SizeOrToken.token), limit: 100, replies: .all),
                as: .user(user))
            pages.append(page.messages.compactMap(\.text))
            token = page.next
        } while token != nil
        return pages.reversed().flatMap(\.self)
    }

    mutating func membership(of user: UserID, in channel: ChannelID = general) throws -> MembershipState? {
        try ask(GetChannel(channelID: channel), as: .user(user)).channel.my?.state
    }
}
