import ChatModel

extension MarkRead: Change {
    package static var isBrief: Bool { true }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, member) = try state.reader(in: channelID, context)
        let target: UInt64
        if let messageID {
            target = try channel.visibleMessage(messageID, to: context.caller).offset
        } else {
            target = channel.messages.last?.offset ?? 0
        }
        // The marker moves back only when a message is marked as unread.
        guard target > member.lastRead else { return Decision([]) }
        return Decision([.readMarked(Event.ReadMark(channel: channelID, user: user, thread: nil, upTo: target))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReadResponse {
        try state.readResponse(for: channelID, context)
    }
}

extension MarkUnread: Change {
    package static var surveysChannels: Bool { true }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, member) = try state.reader(in: channelID, context)
        let message = try channel.messageToMarkUnread(messageID, for: context.caller)
        guard message.appearsInChannel else {
            throw Rejection(.invalidValue, "message_id: the reply appears only in its thread")
        }
        let mark = Event.ReadMark(channel: channelID, user: user, thread: nil, upTo: message.offset - 1)
        // The message and everything after it are already unread; earlier unread messages stay unread.
        guard mark.upTo < member.lastRead else { return Decision([]) }
        let survey = state.survey(of: try state.actingUser(context), context)
        let totals = survey.totals(in: state, context.work, assuming: mark)
        return Decision([.unreadMarked(mark, from: message.id, totals: totals)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReadResponse {
        try state.readResponse(for: channelID, context)
    }
}

extension MarkAllRead: Change {
    package static var surveysChannels: Bool { true }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let unread = state.survey(of: user, context)
            .unreadChannels(FieldLimits.channelsReadAtOnce, in: state, context.work)
        return Decision(
            unread.compactMap { channel in
                channel.messages.last.map { newest in
                    .readMarked(Event.ReadMark(channel: channel.id, user: user.id, thread: nil, upTo: newest.offset))
                }
            })
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UnreadResponse {
        let survey = state.survey(of: try state.actingUser(context), context)
        survey.invalidate(
            Set(records.compactMap { if case .readMarked(let mark) = $0.event { mark.channel } else { nil } }),
            in: state)
        return UnreadResponse(unread: survey.totals(in: state, context.work))
    }
}

extension GetUnreadCounts: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ChannelSurvey {
        ChannelSurvey(of: try state.actingUser(context).id, in: state)
    }

    func advance(
        _ survey: inout ChannelSurvey, in state: ChatState, _ context: Context
    ) throws(Rejection) -> UnreadResponse? {
        guard survey.advance(in: state, context.work) else { return nil }
        return UnreadResponse(unread: survey.totals(in: state, context.work))
    }
}

extension ListReceipts: SlicedQuery {
    struct Progress {
        var list: ListProgress<UserID, NameOrder>
        var readCount = 0
        var unreadCount = 0
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        let (channel, _) = try message(in: state, context)
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(channelID.rawValue)
        hash.combine(messageID.description)
        return Progress(
            list: ListProgress(
                channel.members.ids, try PageCollector(limit: limit, next: next, filterHash: hash.value),
                context))
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let (channel, message) = try message(in: state, context)
        var (readCount, unreadCount) = (progress.readCount, progress.unreadCount)
        let isDone = progress.list.scan(context, lookups: 2) { id in
            guard id != message.sender, let member = channel.members[id], member.joinOffset < message.offset else {
                return nil
            }
            guard member.receipt >= message.offset else {
                unreadCount += 1
                return nil
            }
            guard let user = state.users[id] else { return nil }
            readCount += 1
            return NameOrder(user)
        }
        (progress.readCount, progress.unreadCount) = (readCount, unreadCount)
        guard isDone else { return nil }
        let page = progress.list.collector.page(context) { state.signature(of: $0.id) }
        return Response(users: page.views, readCount: readCount, unreadCount: unreadCount, next: page.next)
    }

    private func message(
        in state: ChatState, _ context: Context
    ) throws(Rejection) -> (ChannelState, StoredMessage) {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let message = try channel.existingMessage(messageID, for: context.caller)
        guard message.appearsInChannel else {
            throw Rejection(.invalidValue, "message_id: the reply appears only in its thread")
        }
        return (channel, message)
    }
}

extension ChatState {
    func reader(
        in id: ChannelID, _ context: Context
    ) throws(Rejection) -> (channel: ChannelState, user: UserID, member: ChannelState.MemberState) {
        let user = try actingUser(context)
        let channel = try joinedChannel(id, by: context.caller)
        guard let member = channel.members[user.id] else { throw Rejection(.notAMember) }
        try channel.checkKeepsMessages()
        return (channel, user.id, member)
    }

    fileprivate func readResponse(for id: ChannelID, _ context: Context) throws(Rejection) -> ReadResponse {
        let (channel, user, _) = try reader(in: id, context)
        return ReadResponse(read: readState(of: user, in: channel))
    }
}

extension ChannelState {
    /// Returns a message that can be marked as unread: text and files, but not messages from the app (`U4`).
    func messageToMarkUnread(_ id: MessageID, for caller: Caller) throws(Rejection) -> StoredMessage {
        let message = try existingMessage(id, for: caller)
        guard message.kind != .admin else { throw Rejection(.wrongMessageKind) }
        return message
    }
}
