import ChatModel
import WireProtocol

extension MarkRead: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, member) = try state.reading(channelID, context)
        let target: UInt64
        if let messageID {
            target = try channel.visibleMessage(messageID, to: context.caller).offset
        } else {
            target = channel.messages.last?.offset ?? 0
        }
        // Only marking unread moves the marker back.
        guard target > member.lastRead else { return Decision([]) }
        return Decision([.readMarked(Event.ReadMark(channel: channelID, user: user, thread: nil, upTo: target))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReadResponse {
        try state.read(channelID, context)
    }
}

extension MarkUnread: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let (channel, user, member) = try state.reading(channelID, context)
        let message = try channel.unreadableMessage(messageID, for: context.caller)
        guard message.standsInChannel else {
            throw Rejection(.invalidValue, "message_id: stands in its thread alone")
        }
        let mark = Event.ReadMark(channel: channelID, user: user, thread: nil, upTo: message.offset - 1)
        // It and all after it are unread already: what is unread before it stays so.
        guard mark.upTo < member.lastRead else { return Decision([]) }
        return Decision([.unreadMarked(mark, from: message.id)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ReadResponse {
        try state.read(channelID, context)
    }
}

extension MarkAllRead: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        var marks: [Event.ReadMark] = []
        for id in user.channelsInOrder where marks.count < FieldLimits.channelsReadAtOnce {
            guard let channel = state.channels[id], channel.unreadCount(of: user.id) > 0,
                let newest = channel.messages.last
            else { continue }
            marks.append(Event.ReadMark(channel: id, user: user.id, thread: nil, upTo: newest.offset))
        }
        return Decision(marks.map { .readMarked($0) })
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UnreadResponse {
        try state.unread(context)
    }
}

extension GetUnreadCounts: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UnreadResponse {
        try state.unread(context)
    }
}

extension ListReceipts: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let message = try channel.livingMessage(messageID, for: context.caller)
        guard message.standsInChannel else {
            throw Rejection(.invalidValue, "message_id: stands in its thread alone")
        }
        var hash = StableHash()
        hash.combine(Self.method)
        hash.combine(channelID.rawValue)
        hash.combine(messageID.description)
        var readers: [NameOrder] = []
        var unreadCount = 0
        for (id, member) in channel.members where id != message.sender && member.cameAt < message.offset {
            if member.receipt < message.offset {
                unreadCount += 1
            } else if let user = state.users[id] {
                readers.append(NameOrder(user))
            }
        }
        let page = try NameOrder.page(of: readers, limit: limit, next: next, filterHash: hash.value)
        return Response(
            users: page.places.map { state.signature(of: $0.id) }, readCount: readers.count, unreadCount: unreadCount,
            next: page.next)
    }
}

extension ChatState {
    /// Who reads, where.
    func reading(
        _ id: ChannelID, _ context: Context
    ) throws(Rejection) -> (channel: ChannelState, user: UserID, member: ChannelState.MemberState) {
        let user = try actingUser(context)
        let channel = try joinedChannel(id, by: context.caller)
        guard let member = channel.members[user.id] else { throw Rejection(.notAMember) }
        try channel.checkKeepsMessages()
        return (channel, user.id, member)
    }

    fileprivate func read(_ id: ChannelID, _ context: Context) throws(Rejection) -> ReadResponse {
        let (channel, user, _) = try reading(id, context)
        return ReadResponse(read: readState(of: user, in: channel))
    }

    fileprivate func unread(_ context: Context) throws(Rejection) -> UnreadResponse {
        UnreadResponse(unread: unreadTotals(of: try actingUser(context).id))
    }
}

extension ChannelState {
    /// A message that can be marked unread: text and files, not what the app itself says (`U4`).
    func unreadableMessage(_ id: MessageID, for caller: Caller) throws(Rejection) -> StoredMessage {
        let message = try livingMessage(id, for: caller)
        guard message.kind != .admin else { throw Rejection(.wrongMessageKind) }
        return message
    }
}
