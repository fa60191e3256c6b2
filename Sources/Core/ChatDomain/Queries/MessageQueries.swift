import ChatModel

extension GetMessage: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> MessageResponse {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let visibleFrom = channel.visibleFrom(context.caller)
        let message = try channel.existingMessage(messageID, for: context.caller)
        let view = state.view(
            of: message, in: channel, visibleFrom: visibleFrom, threadBy: context.settings, reactionsFor: context)
        context.work.charge(view.wireSize * WorkCost.encodedByte)
        return MessageResponse(message: view)
    }
}

extension ListMessages: SlicedQuery {
    struct Progress {
        fileprivate let channel: ChannelState
        fileprivate var search: TimelineSearch
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let timeline = Timeline(channel: channel, selection: selection(in: channel))
        return Progress(
            channel: channel, search: try search(of: timeline, visibleFrom: channel.visibleFrom(context.caller)))
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        // A new channel has the same id: start again.
        if channel !== progress.channel { progress = try start(in: state, context) }
        let visibleFrom = channel.visibleFrom(context.caller)
        let timeline = Timeline(channel: channel, selection: selection(in: channel))
        guard progress.search.advance(in: timeline, visibleFrom: visibleFrom, context.work) else { return nil }
        let page = progress.search.page(of: timeline, visibleFrom: visibleFrom, context) { message in
            var view = state.view(
                of: message, in: channel, visibleFrom: visibleFrom, quotesParent: includeParent ?? false,
                threadBy: includeThread ?? false ? context.settings : nil,
                reactionsFor: includeReactions ?? false ? context : nil, for: context.caller.user)
            if !(includeMetaArrays ?? false) { view.metaArrays = nil }
            return view
        }
        return Response(
            messages: reverse ?? false ? page.messages.reversed() : page.messages, hasPrevious: page.hasPrevious,
            hasNext: page.hasNext, next: nextToken(after: page))
    }

    private var isPaged: Bool { at == nil && messageID == nil }

    /// Returns the places to examine, so that replies do not slow down queries that exclude them. No index includes
    /// deleted messages.
    private func selection(in channel: ChannelState) -> Places? {
        guard !(includeDeleted ?? false) else { return nil }
        return switch replies ?? .none {
        case .none: channel.readIndex.topLevel
        case .onlyReplyToChannel: channel.readIndex.inChannel
        case .all: nil
        }
    }

    private func search(of timeline: Timeline, visibleFrom: UInt64) throws(Rejection) -> TimelineSearch {
        try checkSizes()
        if isPaged {
            var anchor = TimelineAnchor.end(of: timeline)
            if case .token(let text) = next {
                let end = try PageToken(text, filterHash: filterHash).offset
                anchor = TimelineAnchor(offsets: end..<end, isInclusive: false, keepsTies: false)
            }
            return TimelineSearch(
                around: anchor, previous: limit ?? FieldLimits.defaultPageSize, next: 0, filter)
        }
        let anchor: TimelineAnchor
        if let messageID {
            guard let message = timeline.channel.message(messageID), message.offset >= visibleFrom else {
                throw Rejection(.notFound, "message_id")
            }
            anchor = TimelineAnchor(
                offsets: message.offset..<message.offset + 1, isInclusive: inclusive ?? true, keepsTies: false)
        } else {
            anchor = TimelineAnchor(
                offsets: timeline.offsets(ofTime: at ?? 0), isInclusive: inclusive ?? true, keepsTies: true)
        }
        var newer = 0
        if case .size(let size) = next { newer = size }
        let older = previous ?? (next == nil ? FieldLimits.defaultPageSize : 0)
        return TimelineSearch(around: anchor, previous: older, next: newer, filter)
    }

    private func checkSizes() throws(Rejection) {
        if at != nil, messageID != nil { throw Rejection(.badRequest, "at and message_id cannot be combined") }
        try FieldChecks.ids(userIDs, "user_ids")
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        try FieldChecks.size(previous, "previous", 0...FieldLimits.pageSize)
        switch next {
        case .size(let size):
            try FieldChecks.size(size, "next", 0...FieldLimits.pageSize)
            guard !isPaged else { throw Rejection(.badRequest, "next: a number needs at or message_id") }
        case .token:
            guard isPaged else {
                throw Rejection(.badRequest, "next: a token cannot be combined with at or message_id")
            }
        case nil: break
        }
        guard isPaged else {
            guard limit == nil else { throw Rejection(.badRequest, "limit cannot be combined with at or message_id") }
            return
        }
        guard previous == nil, inclusive == nil else {
            throw Rejection(.badRequest, "previous and inclusive need at or message_id")
        }
    }

    private var filter: TimelineSearch.Filter {
        let users = userIDs.map(Set.init)
        let replies = replies ?? .none
        let withDeleted = includeDeleted ?? false
        return { [kind, customType] message, work in
            if message.isDeleted, !withDeleted { return false }
            if let kind, !kind.includes(message.kind) { return false }
            if let customType {
                guard let type = message.customType else { return false }
                work.charge(type.utf8.count / WorkCost.comparedBytes)
                if !ByteOrder.areEqual(type, customType) { return false }
            }
            if let users {
                guard let sender = message.sender else { return false }
                work.charge(sender.size * WorkCost.idByte)
                if !users.contains(sender) { return false }
            }
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

    private func nextToken(after page: TimelineSearch.Page) -> String? {
        guard isPaged, page.hasPrevious, let oldest = page.oldest else { return nil }
        return PageToken(offset: oldest, filterHash: filterHash).text
    }
}

extension ListReplies: SlicedQuery {
    struct Progress {
        fileprivate let channel: ChannelState
        fileprivate var search: TimelineSearch
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        let (channel, _) = try thread(in: state, context)
        try FieldChecks.size(previous, "previous", 0...FieldLimits.pageSize)
        try FieldChecks.size(next, "next", 0...FieldLimits.pageSize)
        let search = TimelineSearch(
            around: try anchor(in: timeline(of: channel)), previous: previous ?? 0,
            next: next ?? (previous == nil ? FieldLimits.defaultPageSize : 0)
        ) { [kind] message, _ in kind?.includes(message.kind) ?? true }
        return Progress(channel: channel, search: search)
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let (channel, parent) = try thread(in: state, context)
        if channel !== progress.channel { progress = try start(in: state, context) }
        let visibleFrom = channel.visibleFrom(context.caller)
        let timeline = timeline(of: channel)
        // Readers who see the parent see all replies.
        guard progress.search.advance(in: timeline, visibleFrom: 0, context.work) else { return nil }
        let page = progress.search.page(of: timeline, visibleFrom: 0, context) { reply in
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

    private func thread(
        in state: ChatState, _ context: Context
    ) throws(Rejection) -> (channel: ChannelState, parent: StoredMessage) {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        guard let parent = channel.message(parentMessageID) else { throw Rejection(.notFound, "parent_message_id") }
        guard parent.offset >= channel.visibleFrom(context.caller) else { throw Rejection(.parentUnavailable) }
        guard !parent.isDeleted else { throw Rejection(.messageDeleted, "parent_message_id") }
        return (channel, parent)
    }

    private func timeline(of channel: ChannelState) -> Timeline {
        Timeline(channel: channel, selection: channel.threads[parentMessageID]?.replies ?? Places())
    }

    private func anchor(in timeline: Timeline) throws(Rejection) -> TimelineAnchor {
        let isInclusive = inclusive ?? true
        switch (at, messageID) {
        case (nil, nil):
            // Without an anchor, start at the oldest message, or at the newest if only older ones are requested.
            if previous != nil, next == nil { return .end(of: timeline) }
            return TimelineAnchor(offsets: 0..<0, isInclusive: false, keepsTies: false)
        case (let at?, nil):
            return TimelineAnchor(offsets: timeline.offsets(ofTime: at), isInclusive: isInclusive, keepsTies: true)
        case (nil, let id?):
            guard let message = timeline.channel.message(id), message.parent == parentMessageID else {
                throw Rejection(.notFound, "message_id")
            }
            // A deleted reply can still be an anchor, but is not part of the thread.
            return TimelineAnchor(
                offsets: message.offset..<message.offset + 1, isInclusive: isInclusive, keepsTies: false)
        case (_?, _?): throw Rejection(.badRequest, "at and message_id cannot be combined")
        }
    }
}

extension MessageKind {
    /// Returns whether a filter for this kind matches another kind.
    func includes(_ kind: MessageKind) -> Bool { self == kind || (self, kind) == (.file, .files) }
}
