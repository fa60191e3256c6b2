import ChatModel
import WireProtocol

extension GetMessage: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> MessageResponse {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let visibleFrom = channel.visibleFrom(context.caller)
        let message = try channel.livingMessage(messageID, for: context.caller)
        let view = state.view(
            of: message, in: channel, visibleFrom: visibleFrom, threadBy: context.settings, reactionsFor: context)
        context.work.charge(view.wireSize * WorkCost.wordedByte)
        return MessageResponse(message: view)
    }
}

extension ListMessages: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let visibleFrom = channel.visibleFrom(context.caller)
        let timeline = Timeline(channel: channel, selection: selection(in: channel))
        let page = try page(of: timeline, visibleFrom: visibleFrom, context) { message in
            var view = state.view(
                of: message, in: channel, visibleFrom: visibleFrom, quotesParent: includeParent ?? false,
                threadBy: includeThread ?? false ? context.settings : nil,
                reactionsFor: includeReactions ?? false ? context : nil)
            if !(includeMetaArrays ?? false) { view.metaArrays = nil }
            return view
        }
        return Response(
            messages: reverse ?? false ? page.messages.reversed() : page.messages, hasPrevious: page.hasPrevious,
            hasNext: page.hasNext, next: nextToken(after: page, of: timeline))
    }

    private var isPaged: Bool { at == nil && messageID == nil }

    /// The places that the filter needs to examine, so that many replies do not slow down queries that exclude them.
    /// Deleted messages are in no index.
    private func selection(in channel: ChannelState) -> Places? {
        guard !(includeDeleted ?? false) else { return nil }
        return switch replies ?? .none {
        case .none: channel.readIndex.topLevel
        case .onlyReplyToChannel: channel.readIndex.standing
        case .all: nil
        }
    }

    private func page(
        of timeline: Timeline, visibleFrom: UInt64, _ context: Context,
        _ view: @escaping (StoredMessage) -> Message
    ) throws(Rejection) -> Timeline.Page {
        try checkSizes()
        let visible = timeline.firstPlace(fromOffset: visibleFrom)..<timeline.count
        let matches = filter
        if isPaged {
            var end = visible.upperBound
            if case .token(let text) = next {
                end = timeline.firstPlace(fromOffset: try PageToken(text, filterHash: filterHash).offset)
            }
            let anchor = Timeline.Anchor(places: end..<end, isInclusive: false, keepsTies: false)
            return timeline.page(
                around: anchor, previous: limit ?? FieldLimits.defaultPageSize, next: 0, visible: visible, context,
                matches, view: view)
        }
        let anchor: Timeline.Anchor
        if let messageID {
            guard let message = timeline.channel.message(messageID), message.offset >= visibleFrom else {
                throw Rejection(.notFound, "message_id")
            }
            anchor = Timeline.Anchor(
                places: timeline.places(of: message), isInclusive: inclusive ?? true, keepsTies: false)
        } else {
            let at = at ?? 0
            anchor = Timeline.Anchor(
                places: timeline.firstPlace(fromTime: at)..<timeline.firstPlace(afterTime: at),
                isInclusive: inclusive ?? true, keepsTies: true)
        }
        var newer = 0
        if case .size(let size) = next { newer = size }
        let older = previous ?? (next == nil ? FieldLimits.defaultPageSize : 0)
        return timeline.page(
            around: anchor, previous: older, next: newer, visible: visible, context, matches, view: view)
    }

    private func checkSizes() throws(Rejection) {
        if at != nil, messageID != nil { throw Rejection(.badRequest, "at and message_id exclude each other") }
        try FieldChecks.ids(userIDs, "user_ids")
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        try FieldChecks.size(previous, "previous", 0...FieldLimits.pageSize)
        switch next {
        case .size(let size):
            try FieldChecks.size(size, "next", 0...FieldLimits.pageSize)
            guard !isPaged else { throw Rejection(.badRequest, "next: a number needs at or message_id") }
        case .token:
            guard isPaged else { throw Rejection(.badRequest, "next: a token excludes at and message_id") }
        case nil: break
        }
        guard isPaged else {
            guard limit == nil else { throw Rejection(.badRequest, "limit excludes at and message_id") }
            return
        }
        guard previous == nil, inclusive == nil else {
            throw Rejection(.badRequest, "previous and inclusive need at or message_id")
        }
    }

    private var filter: (StoredMessage) -> Bool {
        let users = userIDs.map(Set.init)
        let replies = replies ?? .none
        let withDeleted = includeDeleted ?? false
        return { [kind, customType] message in
            if message.isDeleted, !withDeleted { return false }
            if let kind, !kind.includes(message.kind) { return false }
            if let customType, !(message.customType.map { ByteOrder.areSame($0, customType) } ?? false) { return false }
            if let users, !(message.sender.map(users.contains) ?? false) { return false }
            return switch replies {
            case .none: message.parent == nil
            case .all: true
            case .onlyReplyToChannel: message.parent == nil || message.replyToChannel
            }
        }
    }

    private var filterHash: UInt64 {
        var hash = StableHash()
        hash.combine(channelID.rawValue)
        hash.combine(kind?.rawValue)
        hash.combine(customType)
        hash.combine((replies ?? .none).rawValue)
        hash.combine((includeDeleted ?? false).description)
        hash.combine(userIDs?.count.description)
        for user in userIDs ?? [] { hash.combine(user.rawValue) }
        return hash.value
    }

    private func nextToken(after page: Timeline.Page, of timeline: Timeline) -> String? {
        guard isPaged, page.hasPrevious, let oldest = page.oldestPlace else { return nil }
        return PageToken(offset: timeline.message(at: oldest).offset, filterHash: filterHash).text
    }
}

extension ListReplies: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let visibleFrom = channel.visibleFrom(context.caller)
        guard let parent = channel.message(parentMessageID) else { throw Rejection(.notFound, "parent_message_id") }
        guard parent.offset >= visibleFrom else { throw Rejection(.parentUnavailable) }
        guard !parent.isDeleted else { throw Rejection(.messageDeleted, "parent_message_id") }
        try FieldChecks.size(previous, "previous", 0...FieldLimits.pageSize)
        try FieldChecks.size(next, "next", 0...FieldLimits.pageSize)
        let timeline = Timeline(channel: channel, selection: channel.threads[parent.id]?.replies ?? Places())
        let page = timeline.page(
            around: try anchor(in: timeline), previous: previous ?? 0,
            next: next ?? (previous == nil ? FieldLimits.defaultPageSize : 0), visible: 0..<timeline.count, context,
            { [kind] in kind?.includes($0.kind) ?? true }
        ) { reply in
            state.view(
                of: reply, in: channel, visibleFrom: visibleFrom, quotesParent: includeParent ?? false,
                reactionsFor: context)
        }
        return Response(
            parent: state.view(
                of: parent, in: channel, visibleFrom: visibleFrom, threadBy: context.settings, reactionsFor: context),
            replies: reverse ?? false ? page.messages.reversed() : page.messages, hasPrevious: page.hasPrevious,
            hasNext: page.hasNext)
    }

    private func anchor(in timeline: Timeline) throws(Rejection) -> Timeline.Anchor {
        let isInclusive = inclusive ?? true
        switch (at, messageID) {
        case (nil, nil):
            // Without an anchor, starts at the oldest message, or at the newest if only older ones are requested.
            let end = previous != nil && next == nil ? timeline.count : 0
            return Timeline.Anchor(places: end..<end, isInclusive: false, keepsTies: false)
        case (let at?, nil):
            return Timeline.Anchor(
                places: timeline.firstPlace(fromTime: at)..<timeline.firstPlace(afterTime: at),
                isInclusive: isInclusive, keepsTies: true)
        case (nil, let id?):
            guard let message = timeline.channel.message(id), message.parent == parentMessageID else {
                throw Rejection(.notFound, "message_id")
            }
            // A deleted reply still marks the position, but is not part of the thread.
            return Timeline.Anchor(
                places: timeline.places(of: message), isInclusive: isInclusive, keepsTies: false)
        case (_?, _?): throw Rejection(.badRequest, "at and message_id exclude each other")
        }
    }
}

extension MessageKind {
    /// Whether a filter for this kind matches another kind.
    fileprivate func includes(_ kind: MessageKind) -> Bool { self == kind || (self, kind) == (.file, .files) }
}
