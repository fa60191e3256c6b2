import ChatModel
import HeapModule

extension SearchMessages: SlicedQuery {
    /// The number of messages after which a call returns its results so far, so that rare words do not block others.
    package static let scanMessages = Timeline.scanLimit
    /// The number of bytes of text after which a call returns its results so far.
    package static let scanBytes = 2_097_152

    struct Progress {
        fileprivate let words: SearchedWords
        fileprivate let start: SearchPlace?
        /// Channels whose newest messages have not been added yet.
        fileprivate var channels: [ChannelState]
        fileprivate var merge = NewestFirst()
        fileprivate var budget: AnswerBudget
        fileprivate var found: [Message] = []
        fileprivate var examined = 0
        fileprivate var bytes = 0
        fileprivate var last: SearchPlace?
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let words = try SearchedWords(query)
        let channels = try channels(of: state, context)
        let start = try next.map { text throws(Rejection) in try SearchToken(text, filterHash: filterHash).place }
        return Progress(
            words: words, start: start, channels: channels, budget: AnswerBudget(context), last: start)
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        while let channel = progress.channels.last {
            guard !context.work.isSliceOver else { return nil }
            context.work.charge(2 * WorkCost.entry)
            progress.channels.removeLast()
            progress.merge.add(channel, below: progress.start, context.caller)
        }
        while let (place, channel, message) = progress.merge.first {
            guard progress.examined < Self.scanMessages, progress.bytes < Self.scanBytes else {
                return Response(messages: progress.found, next: token(progress.last))
            }
            guard !context.work.isSliceOver else { return nil }
            if canRead(channel, in: state, context) {
                progress.examined += 1
                progress.bytes += message.text.utf8.count
                context.work.charge(
                    WorkCost.message + WorkCost.entry / 2 + progress.words.cost(of: message.text))
                if !message.isDeleted, progress.words.occur(in: message.text) {
                    let view = state.view(
                        of: message, in: channel, visibleFrom: channel.visibleFrom(context.caller),
                        threadBy: context.settings, reactionsFor: context)
                    guard progress.found.count < limit ?? FieldLimits.defaultPageSize,
                        progress.budget.reserve(view)
                    else { return Response(messages: progress.found, next: token(progress.last)) }
                    progress.found.append(view)
                }
            }
            progress.last = place
            progress.merge.removeFirst()
        }
        return Response(messages: progress.found)
    }

    /// Checks access again: between two slices the caller may have left, or the channel may have been deleted.
    private func canRead(_ channel: ChannelState, in state: ChatState, _ context: Context) -> Bool {
        guard let user = context.caller.user else { return state.channels[channel.id] === channel }
        return channel.members[user] != nil && state.channels[channel.id] === channel
    }

    private func channels(of state: ChatState, _ context: Context) throws(Rejection) -> [ChannelState] {
        if let channelID { return [try state.joinedChannel(channelID, by: context.caller)] }
        return try state.actingUser(context).joinedChannels.compactMap { state.channels[$0] }
    }

    private func token(_ place: SearchPlace?) -> String? {
        place.map { SearchToken(place: $0, filterHash: filterHash).text }
    }

    private var filterHash: UInt64 {
        var hash = StableHash()
        hash.combine("search")
        hash.combine(channelID?.rawValue)
        hash.combine(query)
        return hash.value
    }
}

/// The words that every matching text contains.
struct SearchedWords {
    private let words: [BytePattern]

    /// - Throws: 1032 for a query without words, 1030 for a query that is too long.
    init(_ query: String) throws(Rejection) {
        try FieldChecks.bytes(query, "query", atMost: FieldLimits.searchBytes)
        words = query.lowercased().split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }.uniqued()
            .map(BytePattern.init)
        guard !words.isEmpty else { throw Rejection(.invalidValue, "query: must contain at least one word") }
    }

    /// Returns the cost in work units: a text is folded once and scanned once per word.
    func cost(of text: String) -> Int {
        let other = text.utf8.reduce(into: 0) { count, byte in if byte >= 0x80 { count += 1 } }
        return text.utf8.count * WorkCost.searchedByte * (1 + words.count) + other * WorkCost.foldedByte
    }

    func occur(in text: String) -> Bool {
        let folded = text.lowercased()
        return words.allSatisfy { $0.occurs(in: folded) }
    }
}

/// A message's place among the messages of all channels, ordered by time, then channel, then offset.
struct SearchPlace: Comparable {
    let time: Int64
    let channel: ChannelID
    let offset: UInt64

    static func < (a: Self, b: Self) -> Bool { (a.time, a.channel, a.offset) < (b.time, b.channel, b.offset) }
}

/// The end of a search page: version, time, offset, a hash of the query, and the channel.
///
///     s1.<ms since 1970, base 36>.<offset, base 36>.<hash, base 36>.<channel id>
struct SearchToken {
    /// The last message examined; the next page starts before it.
    let place: SearchPlace
    let filterHash: UInt64

    var text: String {
        let numbers = [
            String(place.time, radix: 36), String(place.offset, radix: 36), String(filterHash, radix: 36),
        ]
        return "s1.\(numbers.joined(separator: ".")).\(place.channel)"
    }

    init(place: SearchPlace, filterHash: UInt64) {
        self.place = place
        self.filterHash = filterHash
    }

    /// - Throws: 107 if the token was not issued here or belongs to another search.
    init(_ text: String, filterHash: UInt64) throws(Rejection) {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "s1", let time = Int64(parts[1], radix: 36),
            let offset = UInt64(parts[2], radix: 36), let hash = UInt64(parts[3], radix: 36),
            let channel = ChannelID(String(parts[4]))
        else { throw Rejection(.badRequest, "next: must be the token of a previous response") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: the token belongs to another search") }
        self.init(place: SearchPlace(time: time, channel: channel, offset: offset), filterHash: filterHash)
    }
}

/// The messages of several channels that one user can see, newest first.
private struct NewestFirst {
    private struct Cursor: Comparable {
        let channel: ChannelState
        let lowest: Int
        private(set) var index: Int
        /// The place of the message at `index`, cached because a heap makes many comparisons.
        private(set) var place: SearchPlace

        init(_ channel: ChannelState, index: Int, lowest: Int) {
            self.channel = channel
            self.index = index
            self.lowest = lowest
            place = Self.place(in: channel, at: index)
        }

        mutating func goBack() {
            index -= 1
            place = Self.place(in: channel, at: index)
        }

        private static func place(in channel: ChannelState, at index: Int) -> SearchPlace {
            SearchPlace(
                time: channel.messages.createdAt(at: index), channel: channel.id,
                offset: channel.messages.offset(at: index))
        }

        static func < (a: Self, b: Self) -> Bool { a.place < b.place }
        static func == (a: Self, b: Self) -> Bool { a.place == b.place }
    }

    private var cursors: Heap<Cursor> = []

    mutating func add(_ channel: ChannelState, below start: SearchPlace?, _ caller: Caller) {
        if let cursor = Self.cursor(in: channel, below: start, caller) { cursors.insert(cursor) }
    }

    private static func cursor(in channel: ChannelState, below start: SearchPlace?, _ caller: Caller) -> Cursor? {
        let timeline = Timeline(channel: channel, selection: nil)
        let lowest = timeline.firstPlace(fromOffset: channel.visibleFrom(caller))
        var end = timeline.count
        if let start {
            if channel.id == start.channel {
                end = timeline.firstPlace(fromOffset: start.offset)
            } else {
                // Messages with the same time are ordered by channel id.
                end =
                    channel.id < start.channel
                    ? timeline.firstPlace(afterTime: start.time) : timeline.firstPlace(fromTime: start.time)
            }
        }
        let start = channel.messages.startIndex
        return end > lowest ? Cursor(channel, index: start + end - 1, lowest: start + lowest) : nil
    }

    var first: (SearchPlace, ChannelState, StoredMessage)? {
        cursors.max.map { ($0.place, $0.channel, $0.channel.messages[$0.index]) }
    }

    mutating func removeFirst() {
        guard var cursor = cursors.popMax(), cursor.index > cursor.lowest else { return }
        cursor.goBack()
        cursors.insert(cursor)
    }
}
