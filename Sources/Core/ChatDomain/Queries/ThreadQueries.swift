import ChatModel

extension GetThread: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> ThreadEntry {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let parent = try channel.threadParent(parentMessageID, for: context.caller)
        var budget = AnswerBudget(context)
        return state.entry(
            of: parent, in: channel, try ThreadEntryLimits(replyLimit, participantLimit), context, &budget)
    }
}

extension ListThreads: SlicedQuery {
    static let defaultLimit = 20

    struct Progress {
        var channels: [ChannelID]
        /// The places of the thread parents left in the current channel.
        var parents: [Int] = []
        var channel: ChannelID?
        fileprivate var collector: ThreadCollector
        let limits: ThreadEntryLimits
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        let user = try state.actingUser(context)
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let limits = try ThreadEntryLimits(replyLimit, participantLimit)
        let token = try next.map { text throws(Rejection) in try ThreadToken(text) }
        return Progress(
            channels: Array(user.joinedChannels),
            collector: ThreadCollector(limit: limit ?? Self.defaultLimit, token), limits: limits)
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let user = try state.actingUser(context).id
        while let id = progress.channel ?? progress.channels.popLast() {
            guard let channel = state.channels[id], let member = channel.members[user] else {
                progress.channel = nil
                continue
            }
            if progress.channel == nil {
                context.work.charge(WorkCost.entry)
                let parents = channel.participations(of: user)
                progress.parents = (0..<parents.count).map { parents[$0] }
                progress.channel = id
            }
            while let place = progress.parents.last {
                guard !context.work.isSliceOver else { return nil }
                context.work.charge(WorkCost.entry + WorkCost.message)
                progress.parents.removeLast()
                let parent = channel.messages[place]
                guard let thread = channel.threads[parent.id], parent.offset >= member.visibleFrom else { continue }
                progress.collector.offer(
                    ThreadPlace(lastReplyAt: thread.lastReplyAt, channel: id, parent: parent.id))
            }
            progress.channel = nil
            guard !context.work.isSliceOver else { return nil }
        }
        guard !context.work.isSliceHalfOver else { return nil }
        return response(of: progress, in: state, context)
    }

    /// Returns as many of the page's threads as fit into a response.
    private func response(of progress: Progress, in state: ChatState, _ context: Context) -> Response {
        let page = progress.collector.page
        var budget = AnswerBudget(context)
        var entries: [ThreadEntry] = []
        var shown: [ThreadPlace] = []
        var isFull = false
        // Start next to the token, so that threads that do not fit belong to the next page.
        for place in page.goesBack ? page.places.reversed() : page.places {
            guard let channel = state.channels[place.channel], let parent = channel.message(place.parent),
                context.caller.user.map({ channel.members[$0] != nil }) ?? true
            else { continue }
            var ofEntry = AnswerBudget(context)
            var entry = state.entry(of: parent, in: channel, progress.limits, context, &ofEntry)
            if watch ?? true { entry.position = RoomPosition(offset: channel.top, epoch: channel.epoch) }
            guard budget.reserve(ofEntry.spent) else {
                isFull = true
                break
            }
            entries.append(entry)
            shown.append(place)
        }
        if page.goesBack {
            entries.reverse()
            shown.reverse()
        }
        let hasNext = page.hasNext || isFull && !page.goesBack
        let hasPrevious = page.hasPrevious || isFull && page.goesBack
        return Response(
            threads: entries,
            next: hasNext ? shown.last.map { ThreadToken(place: $0, goesBack: false).text } : nil,
            prev: hasPrevious ? shown.first.map { ThreadToken(place: $0, goesBack: true).text } : nil)
    }
}

/// Collects the threads of one page, one by one.
private struct ThreadCollector {
    private let limit: Int
    private let token: ThreadToken?
    /// The first threads after the token, or the last ones before it; ascending.
    private var places: [ThreadPlace] = []
    /// Whether there are no threads on the other side of the token; `hasMore` is whether more follow the page.
    private var isOtherSideEmpty = true
    private var hasMore = false

    init(limit: Int, _ token: ThreadToken?) {
        self.limit = limit
        self.token = token
    }

    private var goesBack: Bool { token?.goesBack ?? false }

    mutating func offer(_ place: ThreadPlace) {
        if let token, goesBack ? !(place < token.place) : !(token.place < place) {
            isOtherSideEmpty = false
            return
        }
        if places.count >= limit {
            hasMore = true
            if goesBack ? places.first.map({ place < $0 }) ?? false : places.last.map({ $0 < place }) ?? false {
                return
            }
        }
        var low = 0
        var high = places.count
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        places.insert(place, at: low)
        guard places.count > limit else { return }
        if goesBack { places.removeFirst() } else { places.removeLast() }
    }

    var page: (places: [ThreadPlace], goesBack: Bool, hasNext: Bool, hasPrevious: Bool) {
        goesBack
            ? (places, true, !isOtherSideEmpty, hasMore) : (places, false, hasMore, token != nil && !isOtherSideEmpty)
    }
}

struct ThreadEntryLimits {
    let replies: Int
    let participants: Int

    init(_ replies: Int?, _ participants: Int?) throws(Rejection) {
        try FieldChecks.size(replies, "reply_limit", 0...FieldLimits.pageSize)
        try FieldChecks.size(participants, "participant_limit", 0...FieldLimits.pageSize)
        self.replies = replies ?? 3
        self.participants = participants ?? 10
    }
}

/// A thread's place in the list: newest activity first.
struct ThreadPlace: Comparable {
    let lastReplyAt: Int64
    let channel: ChannelID
    let parent: MessageID

    static func < (a: Self, b: Self) -> Bool {
        if a.lastReplyAt != b.lastReplyAt { return a.lastReplyAt > b.lastReplyAt }
        return a.channel != b.channel ? a.channel < b.channel : a.parent > b.parent
    }
}

/// The end of a page of threads, opaque to clients.
///
///     1.<n or p>.<time, base 36>.<parent>.<channel>
private struct ThreadToken {
    let place: ThreadPlace
    /// Whether the token leads to newer threads.
    let goesBack: Bool

    var text: String {
        "1.\(goesBack ? "p" : "n").\(String(place.lastReplyAt, radix: 36)).\(place.parent).\(place.channel)"
    }

    init(place: ThreadPlace, goesBack: Bool) {
        self.place = place
        self.goesBack = goesBack
    }

    /// - Throws: 107 if the token was not issued here.
    init(_ text: String) throws(Rejection) {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "1", parts[1] == "n" || parts[1] == "p",
            let at = Int64(parts[2], radix: 36), let parent = MessageID(String(parts[3])),
            let channel = ChannelID(String(parts[4]))
        else { throw Rejection(.badRequest, "next: must be the token of a previous response") }
        self.init(
            place: ThreadPlace(lastReplyAt: at, channel: channel, parent: parent), goesBack: parts[1] == "p")
    }
}

extension ChatState {
    /// - Parameter budget: The budget of this entry. The newest replies that fit are included; `reply_count` is the
    ///   total.
    fileprivate func entry(
        of parent: StoredMessage, in channel: ChannelState, _ limits: ThreadEntryLimits, _ context: Context,
        _ budget: inout AnswerBudget
    ) -> ThreadEntry {
        let visibleFrom = channel.visibleFrom(context.caller)
        let thread = channel.threads[parent.id] ?? ThreadState()
        let others = thread.repliers.lazy.map(\.user).filter { $0 != parent.sender }.prefix(limits.participants)
        let people = [parent.sender].compactMap(\.self) + others
        var entry = ThreadEntry(
            thread: self.thread(of: parent, in: channel, context),
            channel: view(of: channel, for: context.caller.user, at: context.now),
            parent: view(of: parent, in: channel, visibleFrom: visibleFrom, reactionsFor: context),
            replies: [], participants: people.prefix(limits.participants).map(signature))
        _ = budget.reserve(entry.wireSize)
        var replies: [Message] = []
        for place in (max(0, thread.replies.count - limits.replies)..<thread.replies.count).reversed() {
            let reply = view(
                of: channel.messages[thread.replies[place]], in: channel, visibleFrom: visibleFrom,
                quotesParent: false, reactionsFor: context)
            guard budget.reserve(reply) else { break }
            replies.append(reply)
        }
        entry.replies = replies.reversed()
        return entry
    }

    /// Returns the thread as one reader sees it, with their read state (`T8`).
    func thread(of parent: StoredMessage, in channel: ChannelState, _ context: Context) -> MessageThread {
        var view = thread(of: parent.id, in: channel, isVisible: true, context.settings)
        guard let user = context.caller.user, channel.members[user] != nil else { return view }
        view.unreadCount = channel.unreadReplies(of: user, in: parent)
        view.lastRead = threadPosition(of: user, in: channel, parent)
        return view
    }
}
