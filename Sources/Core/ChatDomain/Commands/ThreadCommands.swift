import ChatModel

extension UpdateThread: HookedChange {
    package var hookedText: String? { title }

    package func decide(
        in state: ChatState, _ context: Context, replacement: String?
    ) throws(Rejection) -> Decision {
        let title = replacement ?? title
        let channel = try state.voicedChannel(channelID, context)
        try state.check(.editThread, in: channel, context, usual: .notTheAuthor)
        let parent = try channel.threadParent(parentMessageID, for: context.caller)
        if let user = context.caller.user, parent.sender != user, state.role(of: user, in: channel) < .operator,
            channel.threads[parent.id]?.replyCount(of: user) ?? 0 == 0
        {
            throw Rejection(.notTheAuthor)
        }
        try FieldChecks.name(title, "title", atMost: FieldLimits.nameCodePoints)
        try FieldChecks.bytes(data, "data", atMost: FieldLimits.dataBytes)
        let checked = try state.checkedUsersName(title, customType: channel.customType, context)
        let thread = channel.threads[parent.id]
        let updated = Event.ThreadUpdated(
            channel: channelID, parent: parent.id, title: Self.changed(checked, thread?.title),
            data: Self.changed(data, thread?.data))
        return Decision(updated.title == nil && updated.data == nil ? [] : [.threadUpdated(updated)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record], replacement: String?
    ) throws(Rejection) -> ThreadResponse {
        try state.thread(parentMessageID, in: channelID, context)
    }

    private static func changed(_ new: String?, _ old: String?) -> String? {
        isSameText(new, old ?? "") ? nil : new
    }
}

extension MarkThreadRead: Change {
    package static var isBrief: Bool { true }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, _) = try state.reader(in: channelID, context)
        let parent = try channel.threadParent(parentMessageID, for: context.caller)
        let target: UInt64
        if let messageID {
            target = try channel.reply(messageID, to: parent, for: context.caller).offset
        } else {
            target = channel.threads[parent.id]?.replies.last.map { channel.messages.offset(at: $0) } ?? 0
        }
        guard target > channel.threadMark(of: user, in: parent) else { return Decision([]) }
        return Decision([
            .readMarked(Event.ReadMark(channel: channelID, user: user, thread: parent.id, upTo: target))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ThreadResponse {
        try state.thread(parentMessageID, in: channelID, context)
    }
}

extension MarkThreadUnread: Change {
    package static var surveysChannels: Bool { true }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, _) = try state.reader(in: channelID, context)
        let parent = try channel.threadParent(parentMessageID, for: context.caller)
        _ = try channel.reply(messageID, to: parent, for: context.caller)
        let reply = try channel.messageToMarkUnread(messageID, for: context.caller)
        let mark = Event.ReadMark(channel: channelID, user: user, thread: parent.id, upTo: reply.offset - 1)
        guard mark.upTo < channel.threadMark(of: user, in: parent) else { return Decision([]) }
        let survey = state.survey(of: try state.actingUser(context), context)
        let totals = survey.totals(in: state, context.work, assuming: mark)
        return Decision([.unreadMarked(mark, from: reply.id, totals: totals)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ThreadResponse {
        try state.thread(parentMessageID, in: channelID, context)
    }
}

extension ChannelState {
    /// Returns a message that can have a thread.
    func threadParent(_ id: MessageID, for caller: Caller) throws(Rejection) -> StoredMessage {
        try checkKeepsMessages()
        guard let parent = message(id) else { throw Rejection(.notFound, "parent_message_id") }
        guard parent.offset >= visibleFrom(caller) else { throw Rejection(.parentUnavailable) }
        guard !parent.isDeleted else { throw Rejection(.messageDeleted, "parent_message_id") }
        guard parent.parent == nil else { throw Rejection(.threadDepth) }
        return parent
    }

    fileprivate func reply(
        _ id: MessageID, to parent: StoredMessage, for caller: Caller
    ) throws(Rejection) -> StoredMessage {
        let reply = try visibleMessage(id, to: caller)
        guard reply.parent == parent.id else { throw Rejection(.notFound, "message_id") }
        return reply
    }
}

extension ChatState {
    fileprivate func thread(
        _ id: MessageID, in channelID: ChannelID, _ context: Context
    ) throws(Rejection) -> ThreadResponse {
        let channel = try joinedChannel(channelID, by: context.caller)
        let parent = try channel.threadParent(id, for: context.caller)
        return ThreadResponse(thread: thread(of: parent, in: channel, context))
    }
}
