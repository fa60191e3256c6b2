import ChatModel

extension ChatState {
    /// The ids of all uploads in the table.
    package var fileIDs: Set<FileID> { files.ids }

    /// Whether any upload is not yet part of a message.
    package var hasUnsentFiles: Bool { files.hasUnsent }

    /// Returns uploads that were not sent in time; at most a fixed number per call.
    package func expiredFiles(at now: Int64) -> [FileID] {
        files.expired(at: now, limit: FieldLimits.expiredFilesAtOnce)
    }

    /// The greatest id among the last messages of all channels; `nil` if there are none.
    package var newestMessageID: MessageID? { channels.values.lazy.compactMap { $0.messages.last?.id }.max() }

    func user(_ id: UserID) throws(Rejection) -> UserState {
        guard let user = users[id], user.erasure == nil else { throw Rejection(.notFound, "user \(id)") }
        return user
    }

    /// Returns a channel whose existence the caller may know about: it is public, or they have joined it or are
    /// invited.
    func visibleChannel(_ id: ChannelID, to caller: Caller) throws(Rejection) -> ChannelState {
        guard let channel = channels[id] else { throw Rejection(.notFound, "channel") }
        if let user = caller.user {
            guard channel.isPublic || channel.members[user] != nil || channel.invitations[user] != nil else {
                throw Rejection(.notFound, "channel")
            }
        }
        return channel
    }

    /// Returns a channel in which the caller is a member; the server has access to every channel.
    ///
    /// - Parameter now: If given, a banned user gets the error for the ban instead of the one for non-members (`MS9`).
    func joinedChannel(_ id: ChannelID, by caller: Caller, at now: Int64? = nil) throws(Rejection) -> ChannelState {
        let channel = try visibleChannel(id, to: caller)
        if let user = caller.user, channel.members[user] == nil {
            if let now, channel.bans.entry(of: user, at: now) != nil { throw Rejection(.banned) }
            throw Rejection(channel.invitations[user] == nil ? .notAMember : .invitedNotMember)
        }
        return channel
    }

    /// Returns a channel of which the caller is an operator; the server has access to every channel. For reading only:
    /// changes use `governedChannel`.
    func operatedChannel(
        _ id: ChannelID, by caller: Caller, at now: Int64? = nil
    ) throws(Rejection) -> ChannelState {
        let channel = try joinedChannel(id, by: caller, at: now)
        if let user = caller.user, role(of: user, in: channel) < .operator { throw Rejection(.notAnOperator) }
        return channel
    }

    /// Returns the acting user of a command that requires one.
    func actingUser(_ context: Context) throws(Rejection) -> UserState {
        guard let id = context.caller.user else {
            throw Rejection(.badRequest, "as_user_id is required with a server key")
        }
        return try user(id)
    }

    /// Returns the events that create a user on first use (`US1`); none for an existing user.
    package func creationEvents(for id: UserID, _ context: Context) -> [Event] {
        guard users[id] == nil else { return [] }
        return [
            .userCreated(
                Event.UserCreated(
                    id: id, nickname: id.rawValue, profileURL: nil, metadata: [:], inboxEpoch: context.freshEpoch))
        ]
    }
}
