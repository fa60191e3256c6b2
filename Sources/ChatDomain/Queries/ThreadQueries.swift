import ChatModel
import WireProtocol

extension GetThread: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> ThreadEntry {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let parent = try channel.threadParent(parentMessageID, for: context.caller)
        return state.entry(
            of: parent, in: channel, try ThreadEntryLimits(replyLimit, participantLimit), context)
    }
}

extension ListThreads: Query {
    static let defaultLimit = 20

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let user = try state.actingUser(context)
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let limits = try ThreadEntryLimits(replyLimit, participantLimit)
        let token = try next.map { text throws(Rejection) in try ThreadToken(text) }
        let places = state.threads(of: user).sorted()
        let page = page(of: places, token)
        return Response(
            threads: places[page].compactMap { place in
                guard let channel = state.channels[place.channel], let parent = channel.message(place.parent) else {
                    return nil
                }
                var entry = state.entry(of: parent, in: channel, limits, context)
                if watch ?? true { entry.position = RoomPosition(offset: channel.top, epoch: channel.epoch) }
                return entry
            },
            next: page.upperBound < places.count
                ? places[page].last.map { ThreadToken(place: $0, goesBack: false).text } : nil,
            prev: page.lowerBound > 0 ? places[page].first.map { ThreadToken(place: $0, goesBack: true).text } : nil)
    }

    private func page(of places: [ThreadPlace], _ token: ThreadToken?) -> Range<Int> {
        let limit = limit ?? Self.defaultLimit
        guard let token else { return 0..<min(limit, places.count) }
        if token.goesBack {
            let end = places.firstIndex { !($0 < token.place) } ?? places.count
            return max(0, end - limit)..<end
        }
        let start = places.firstIndex { token.place < $0 } ?? places.count
        return start..<min(places.count, start + limit)
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

/// Where a page of threads ended. Opaque to clients:
///
///     1.<n or p>.<time, base 36>.<parent>.<channel>
private struct ThreadToken {
    let place: ThreadPlace
    /// Whether it leads to newer ones.
    let goesBack: Bool

    var text: String {
        "1.\(goesBack ? "p" : "n").\(String(place.lastReplyAt, radix: 36)).\(place.parent).\(place.channel)"
    }

    init(place: ThreadPlace, goesBack: Bool) {
        self.place = place
        self.goesBack = goesBack
    }

    /// - Throws: 107 when the token is not one of ours.
    init(_ text: String) throws(Rejection) {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "1", parts[1] == "n" || parts[1] == "p",
            let at = Int64(parts[2], radix: 36), let parent = MessageID(String(parts[3])),
            let channel = ChannelID(String(parts[4]))
        else { throw Rejection(.badRequest, "next: not a token") }
        self.init(
            place: ThreadPlace(lastReplyAt: at, channel: channel, parent: parent), goesBack: parts[1] == "p")
    }
}

extension ChatState {
    /// The threads a user takes part in and whose parents they may see, in no order.
    fileprivate func threads(of user: UserState) -> [ThreadPlace] {
        var places: [ThreadPlace] = []
        for id in user.joinedChannels {
            guard let channel = channels[id], let member = channel.members[user.id] else { continue }
            let parents = channel.participations(of: user.id)
            for index in 0..<parents.count {
                let parent = channel.messages[parents[index]]
                guard let thread = channel.threads[parent.id], parent.offset >= member.visibleFrom else { continue }
                places.append(ThreadPlace(lastReplyAt: thread.lastReplyAt, channel: id, parent: parent.id))
            }
        }
        return places
    }

    fileprivate func entry(
        of parent: StoredMessage, in channel: ChannelState, _ limits: ThreadEntryLimits, _ context: Context
    ) -> ThreadEntry {
        let visibleFrom = channel.visibleFrom(context.caller)
        let thread = channel.threads[parent.id] ?? ThreadState()
        let replies = (max(0, thread.replies.count - limits.replies)..<thread.replies.count).map {
            view(
                of: channel.messages[thread.replies[$0]], in: channel, visibleFrom: visibleFrom, quotesParent: false,
                reactionsFor: context)
        }
        let others = thread.repliers.lazy.filter { $0 != parent.sender }.prefix(limits.participants)
        let people = [parent.sender].compactMap(\.self) + others
        return ThreadEntry(
            thread: self.thread(of: parent, in: channel, context),
            channel: view(of: channel, for: context.caller.user, at: context.now),
            parent: view(of: parent, in: channel, visibleFrom: visibleFrom, reactionsFor: context),
            replies: replies, participants: people.prefix(limits.participants).map(signature))
    }

    /// The thread as one reader sees it, with what they have read of it (`T8`).
    func thread(of parent: StoredMessage, in channel: ChannelState, _ context: Context) -> MessageThread {
        var view = thread(of: parent.id, in: channel, isVisible: true, context.settings)
        guard let user = context.caller.user, channel.members[user] != nil else { return view }
        view.unreadCount = channel.unreadReplies(of: user, in: parent)
        view.lastRead = threadPosition(of: user, in: channel, parent)
        return view
    }
}
