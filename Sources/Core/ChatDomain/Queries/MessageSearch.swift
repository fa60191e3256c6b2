import ChatModel
import SearchText

extension SearchMessages: Query {
    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response> {
        try step(try SearchRun(self, in: state, context), in: state, context)
    }

    private func step(
        _ run: SearchRun, in state: ChatState, _ context: Context
    ) throws(Rejection) -> QueryStep<Response> {
        switch run.advance(in: state, context) {
        case .page(let response): return .answered(response)
        case .sliceOver:
            return .unfinished { (state, context) throws(Rejection) in
                try checkAccess(in: state, context)
                return try step(run, in: state, context)
            }
        case .lookup(let lookup):
            return .lookup(lookup) { (findings, state, context) throws(Rejection) in
                try checkAccess(in: state, context)
                run.add(findings, context.work)
                return try step(run, in: state, context)
            }
        }
    }

    /// Checks the channel again: meanwhile, the caller may have left it.
    private func checkAccess(in state: ChatState, _ context: Context) throws(Rejection) {
        if let channelID { _ = try state.joinedChannel(channelID, by: context.caller) }
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        var step = try begin(in: state, context)
        while true {
            switch step {
            case .answered(let response): return response
            case .unfinished(let rest):
                context.work.beginSlice()
                step = try rest(state, context)
            case .lookup(let lookup, let rest):
                step = try rest(state.scan(lookup, context.work), state, context)
            }
        }
    }

    fileprivate func channels(of state: ChatState, _ context: Context) throws(Rejection) -> [ChannelState] {
        if let channelID { return [try state.joinedChannel(channelID, by: context.caller)] }
        return try state.actingUser(context).joinedChannels.compactMap { state.channels[$0] }
    }

    fileprivate var filterHash: UInt64 {
        var hash = StableHash()
        hash.combine("search")
        hash.combine(channelID?.rawValue)
        hash.combine(query)
        hash.combine(kind?.rawValue)
        hash.combine(hasFiles?.description)
        hash.combine(after?.description)
        hash.combine(before?.description)
        hash.combine((order ?? .newest).rawValue)
        hash.combine(userIDs?.count.description)
        for user in userIDs ?? [] { hash.combine(user.rawValue) }
        return hash.value
    }
}

/// What a search requires of a message besides its words.
struct SearchFilter {
    let users: Set<UserID>?
    let kind: MessageKind?
    let hasFiles: Bool?
    let after: Int64?
    let before: Int64?
    /// Facts that the index can compare; see `SearchLookup`.
    let facts: [[String]]

    init(_ search: SearchMessages) {
        users = search.userIDs.map(Set.init)
        (kind, hasFiles, after, before) = (search.kind, search.hasFiles, search.after, search.before)
        var facts: [[String]] = []
        if let users = search.userIDs, !users.isEmpty { facts.append(users.uniqued().map { SearchEntry.fact($0) }) }
        if let kind = search.kind {
            facts.append(MessageKind.allCases.filter(kind.includes).map { SearchEntry.fact($0) })
        }
        if search.hasFiles == true { facts.append([SearchEntry.withFiles]) }
        self.facts = facts
    }

    func accepts(_ message: StoredMessage) -> Bool {
        if message.isDeleted { return false }
        if let kind, !kind.includes(message.kind) { return false }
        if let hasFiles, hasFiles != SearchEntry.hasFiles(message.extras) { return false }
        if let after, message.createdAt < after { return false }
        if let before, message.createdAt >= before { return false }
        guard let users else { return true }
        return message.sender.map(users.contains) ?? false
    }
}

/// One page of a search in progress. Touched only on the queue that owns the state.
///
/// The index names messages, and this examines them in order: each is compared with the text that the state has, and
/// with what the caller may see at this moment.
final class SearchRun {
    /// Messages examined for one page, so that rare combinations of words do not block others.
    static let examinedMessages = 5_000
    /// Bytes of text examined for one page.
    static let examinedBytes = 2_097_152
    /// Channels looked up for one page, counting each time.
    static let lookups = 4_096
    static let rangesPerLookup = 64
    /// The newest matches that relevance ranks.
    static let rankedMessages = 1_000

    enum Step {
        case page(SearchMessages.Response)
        case sliceOver
        case lookup(SearchLookup)
    }

    private struct Match {
        let rank: SearchRank
        let marks: [[Int]]
    }

    private let search: SearchMessages
    private let pattern: SearchPattern
    private let matcher: SearchMatcher
    private let filter: SearchFilter
    /// The page has messages before this place only; nil for a first page.
    private var start: SearchPlace?
    /// By relevance: the last message of the page before.
    private let last: SearchRank?
    /// Channels whose cursors are not made yet.
    private var channels: [ChannelState]
    private var cursors = SearchCursors()
    private var ranges = 4
    private var (examined, bytes, lookups) = (0, 0, 0)
    private var isComplete = true
    private var budget: AnswerBudget
    private var response = SearchMessages.Response(messages: [], marks: [], isComplete: true)
    private var matches: [Match] = []

    init(_ search: SearchMessages, in state: ChatState, _ context: Context) throws(Rejection) {
        try FieldChecks.size(search.limit, "limit", 1...FieldLimits.pageSize)
        try FieldChecks.ids(search.userIDs, "user_ids")
        try FieldChecks.bytes(search.query, "query", atMost: FieldLimits.searchBytes)
        self.search = search
        pattern = SearchPattern(search.query)
        guard !pattern.terms.isEmpty else {
            throw Rejection(.invalidValue, "query: must contain at least one word")
        }
        matcher = SearchMatcher(pattern)
        filter = SearchFilter(search)
        channels = try search.channels(of: state, context)
        let token = try search.next.map { text throws(Rejection) in
            try SearchPageToken(text, isRanked: search.order == .relevance, filterHash: search.filterHash)
        }
        (start, last) = (token?.start, token?.last)
        budget = AnswerBudget(context)
    }

    func add(_ findings: SearchFindings, _ work: WorkMeter) {
        work.charge(findings.parts.count * WorkCost.lookup)
        isComplete = isComplete && findings.parts.allSatisfy(\.isKnown)
        cursors.add(findings)
    }

    func advance(in state: ChatState, _ context: Context) -> Step {
        while let channel = channels.last {
            guard !context.work.isSliceOver else { return .sliceOver }
            context.work.charge(2 * WorkCost.entry)
            channels.removeLast()
            if let cursor = SearchCursor(channel, below: start, filter, context.caller) { cursors.insert(cursor) }
        }
        // Later pages rank the same messages, not those that have arrived since.
        if start == nil { start = cursors.first?.place.next }
        while let cursor = cursors.first {
            guard examined < Self.examinedMessages, bytes < Self.examinedBytes, lookups < Self.lookups else { break }
            guard !context.work.isSliceOver else { return .sliceOver }
            guard !cursor.hits.isEmpty else { return .lookup(nextLookup()) }
            if search.order == .relevance {
                examine(cursor, in: state, context) { rank(cursor, $1) }
                guard matches.count < Self.rankedMessages else { break }
            } else {
                var isFull = false
                examine(cursor, in: state, context) { isFull = !append($0, $1, cursor.channel, state, context) }
                if isFull { break }
            }
            cursors.removeHit()
        }
        response.isComplete = isComplete
        if search.order == .relevance {
            appendRanked(in: state, context)
        } else if let rest = cursors.first {
            response.next = SearchPageToken(start: rest.place.next, filterHash: search.filterHash).text
        }
        return .page(response)
    }

    private func nextLookup() -> SearchLookup {
        let limit = search.order == .relevance ? 256 : (search.limit ?? FieldLimits.defaultPageSize) + 1
        let lookup = SearchLookup(
            pattern: pattern, facts: filter.facts, ranges: cursors.ranges(atMost: ranges), limit: limit)
        lookups += lookup.ranges.count
        // Common words are found in the first channels, rare ones in none.
        ranges = min(2 * ranges, Self.rangesPerLookup)
        return lookup
    }

    private func examine(
        _ cursor: SearchCursor, in state: ChatState, _ context: Context, _ found: (StoredMessage, SearchMatch) -> Void
    ) {
        guard let message = readable(cursor.place, in: cursor.channel, state, context) else { return }
        examined += 1
        bytes += message.text.utf8.count
        context.work.charge(WorkCost.message + WorkCost.entry / 2 + WorkCost.matching(message.text))
        if let match = matcher.match(in: message.text) { found(message, match) }
    }

    /// Checks access for each message: while the page is searched, the caller may leave, the history may be reset, or
    /// the channel may be deleted.
    private func readable(
        _ place: SearchPlace, in channel: ChannelState, _ state: ChatState, _ context: Context
    ) -> StoredMessage? {
        guard state.channels[channel.id] === channel, place.offset >= channel.visibleFrom(context.caller) else {
            return nil
        }
        if let user = context.caller.user, channel.members[user] == nil { return nil }
        let timeline = Timeline(channel: channel, selection: nil)
        let index = timeline.firstPlace(fromOffset: place.offset)
        guard index < timeline.count else { return nil }
        let message = timeline.message(at: index)
        return message.offset == place.offset && filter.accepts(message) ? message : nil
    }

    /// - Returns: False if the page is full.
    private func append(
        _ message: StoredMessage, _ match: SearchMatch, _ channel: ChannelState, _ state: ChatState,
        _ context: Context
    ) -> Bool {
        append(
            message, match.marks.map { [$0.lowerBound, $0.count] }, channel, state, context)
    }

    private func append(
        _ message: StoredMessage, _ marks: [[Int]], _ channel: ChannelState, _ state: ChatState, _ context: Context
    ) -> Bool {
        let view = state.view(
            of: message, in: channel, visibleFrom: channel.visibleFrom(context.caller),
            threadBy: context.settings, reactionsFor: context)
        guard response.messages.count < search.limit ?? FieldLimits.defaultPageSize, budget.reserve(view) else {
            return false
        }
        response.messages.append(view)
        response.marks.append(marks)
        return true
    }

    private func rank(_ cursor: SearchCursor, _ match: SearchMatch) {
        matches.append(
            Match(
                rank: SearchRank(score: match.score, place: cursor.place),
                marks: match.marks.map { [$0.lowerBound, $0.count] }))
    }

    /// Fills the page with the best matches after those of the page before.
    private func appendRanked(in state: ChatState, _ context: Context) {
        var end = last
        for match in matches.sorted(by: { $0.rank < $1.rank }) where last.map({ $0 < match.rank }) ?? true {
            let place = match.rank.place
            if let channel = state.channels[place.channel],
                let message = readable(place, in: channel, state, context),
                !append(message, match.marks, channel, state, context)
            {
                guard let start, let end else { return }
                response.next = SearchPageToken(start: start, last: end, filterHash: search.filterHash).text
                return
            }
            end = match.rank
        }
    }
}
