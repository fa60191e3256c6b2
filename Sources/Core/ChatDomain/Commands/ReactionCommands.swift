import ChatModel

extension AddReaction: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (user, reactions) = try state.reactor(to: messageID, in: channelID, context)
        guard state.emojis[key] != nil else { throw Rejection(.unknownEmoji) }
        if reactions?[key]?.contains(user) ?? false { return Decision([]) }
        return Decision([.reactionAdded(channelID, messageID, key: key, by: user)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReactionResponse {
        ReactionResponse(reaction: try state.reaction(.add, key, to: messageID, in: channelID, context))
    }
}

extension RemoveReaction: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (user, reactions) = try state.reactor(to: messageID, in: channelID, context)
        // A reaction can be removed even if its emoji no longer exists.
        if reactions?[key]?.contains(user) ?? false {
            return Decision([.reactionRemoved(channelID, messageID, key: key, by: user)])
        }
        guard state.emojis[key] != nil else { throw Rejection(.unknownEmoji) }
        return Decision([])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReactionResponse {
        ReactionResponse(reaction: try state.reaction(.remove, key, to: messageID, in: channelID, context))
    }
}

extension ListReactionUsers: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let message = try channel.existingMessage(messageID, for: context.caller)
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        var done: UInt64 = 0
        if let next { done = try PageToken(next, filterHash: filterHash).offset }
        guard let reactions = channel.reactions(on: message.id)?[key] else {
            guard state.emojis[key] != nil else { throw Rejection(.unknownEmoji) }
            return Response(users: [])
        }
        let rest = reactions.reactors[reactions.firstPlace(after: done)...]
        let page = rest.prefix(limit ?? FieldLimits.defaultPageSize)
        let last = page.count < rest.count ? page.last : nil
        return Response(
            users: page.map { state.signature(of: $0.user) },
            next: last.map { PageToken(offset: $0.offset, filterHash: filterHash).text })
    }

    private var filterHash: UInt64 {
        var hash = StableHash()
        hash.combine(channelID.rawValue)
        hash.combine(messageID.description)
        hash.combine(key)
        return hash.value
    }
}

extension ChatState {
    /// Returns the reacting user and the existing reactions. Only text and file messages have reactions, if enabled
    /// (`R4`).
    fileprivate func reactor(
        to id: MessageID, in channelID: ChannelID, _ context: Context
    ) throws(Rejection) -> (user: UserID, reactions: MessageReactions?) {
        let (user, channel) = try speaker(in: channelID, .react, context)
        guard context.settings.reactions, context.settings.reactionsInSuperChannels || !channel.isSuper else {
            throw Rejection(.featureDisabled, "reactions (chat.reactions, chat.reactions_in_super_channels)")
        }
        try channel.checkKeepsMessages()
        let message = try channel.existingMessage(id, for: context.caller)
        guard message.kind != .admin else { throw Rejection(.wrongMessageKind) }
        return (user.id, channel.reactions(on: id))
    }

    fileprivate func reaction(
        _ operation: ReactionChange.Operation, _ key: String, to id: MessageID, in channelID: ChannelID,
        _ context: Context
    ) throws(Rejection) -> ReactionChange {
        let channel = try joinedChannel(channelID, by: context.caller)
        return change(operation, key, by: try actingUser(context).id, on: id, in: channel)
    }

    func change(
        _ operation: ReactionChange.Operation, _ key: String, by user: UserID, on id: MessageID,
        in channel: ChannelState
    ) -> ReactionChange {
        let reactions = channel.reactions(on: id)
        return ReactionChange(
            messageID: id, key: key, operation: operation, userID: user, count: reactions?[key]?.reactors.count ?? 0,
            updatedAt: reactions?[key]?.updatedAt ?? reactions?.updatedAt)
    }
}
