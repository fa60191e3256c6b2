import ChatModel
import WireProtocol

extension ChatState {
    func user(_ id: UserID) throws(Rejection) -> UserState {
        guard let user = users[id] else { throw Rejection(.notFound, "user \(id)") }
        return user
    }

    /// The channel, if the caller may know that it exists: it is public, or they are in it or invited.
    func visibleChannel(_ id: ChannelID, to caller: Caller) throws(Rejection) -> ChannelState {
        guard let channel = channels[id] else { throw Rejection(.notFound, "channel") }
        if let user = caller.user {
            guard channel.isPublic || channel.members[user] != nil || channel.invitations[user] != nil else {
                throw Rejection(.notFound, "channel")
            }
        }
        return channel
    }

    /// The channel, if the caller takes part in it; the server always does.
    ///
    /// - Parameter now: Given where someone banned is to be told so rather than that they are not a member (`MS9`).
    func joinedChannel(_ id: ChannelID, by caller: Caller, at now: Int64? = nil) throws(Rejection) -> ChannelState {
        let channel = try visibleChannel(id, to: caller)
        if let user = caller.user, channel.members[user] == nil {
            if let now, channel.bans.entry(of: user, at: now) != nil { throw Rejection(.banned) }
            throw Rejection(channel.invitations[user] == nil ? .notAMember : .invitedNotMember)
        }
        return channel
    }

    /// The channel, if the caller governs it: one of its operators, or the server. For looking only: what changes something
    /// takes `governedChannel`.
    func operatedChannel(
        _ id: ChannelID, by caller: Caller, at now: Int64? = nil
    ) throws(Rejection) -> ChannelState {
        let channel = try joinedChannel(id, by: caller, at: now)
        if let user = caller.user, channel.members[user]?.role != .operator { throw Rejection(.notAnOperator) }
        return channel
    }

    /// The person behind a command that only a person can give.
    func actingUser(_ context: Context) throws(Rejection) -> UserState {
        guard let id = context.caller.user else {
            throw Rejection(.badRequest, "name a user with as_user_id")
        }
        return try user(id)
    }

    /// Creates a user who is here for the first time (`US1`); nothing for one who is known.
    package func admission(of id: UserID, _ context: Context) -> [Event] {
        guard users[id] == nil else { return [] }
        return [
            .userCreated(
                Event.UserCreated(
                    id: id, nickname: id.rawValue, profileURL: nil, metadata: [:], inboxEpoch: context.freshEpoch))
        ]
    }
}
