import ChatModel
import HeapModule
import WireProtocol

extension SearchMessages: Query {
    /// What one call looks at before it answers with what it has: a rare word must not hold up everyone else.
    package static let scanMessages = Timeline.scanLimit
    /// The same in bytes of text.
    package static let scanBytes = 2_097_152

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let words = try SearchedWords(query)
        let channels = try channels(of: state, context)
        let start = try next.map { text throws(Rejection) in try SearchToken(text, filterHash: filterHash).place }
        var merge = NewestFirst(channels, below: start, context.caller)
        var found: [Message] = []
        var looked = 0
        var bytes = 0
        var last = start
        while let (place, channel, message) = merge.next() {
            guard looked < Self.scanMessages, bytes < Self.scanBytes else {
                return Response(messages: found, next: token(last))
            }
            looked += 1
            bytes += message.text.utf8.count
            if !message.isDeleted, words.occur(in: message.text) {
                guard found.count < limit ?? FieldLimits.defaultPageSize else {
                    return Response(messages: found, next: token(last))
                }
                found.append(
                    state.view(
                        of: message, in: channel, visibleFrom: channel.visibleFrom(context.caller),
                        threadBy: context.settings,
                        reactionsFor: context))
            }
            last = place
        }
        return Response(messages: found)
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

/// What every found text has to hold.
struct SearchedWords {
    /// In lower case, as bytes: UTF-8 finds no character in the middle of another.
    private let words: [[UInt8]]

    /// - Throws: 1032 for a query without a word, 1030 for one that is too long.
    init(_ query: String) throws(Rejection) {
        try FieldChecks.bytes(query, "query", atMost: FieldLimits.searchBytes)
        words = query.lowercased().split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }.withoutRepetition()
        guard !words.isEmpty else { throw Rejection(.invalidValue, "query: at least one word") }
    }

    func occur(in text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        return words.allSatisfy { Self.occurs($0, in: text) }
    }

    private static func occurs(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = word.first, word.count <= text.count else { return false }
        return (0...text.count - word.count).contains { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }
}

/// A message's place among those of all channels: by time, then channel, then offset. New messages stand above all.
struct SearchPlace: Comparable {
    let time: Int64
    let channel: ChannelID
    let offset: UInt64

    static func < (a: Self, b: Self) -> Bool { (a.time, a.channel, a.offset) < (b.time, b.channel, b.offset) }
}

/// Where a page of a search ended: version, time, offset, a hash of the query, and the channel.
///
///     s1.<ms since 1970, base 36>.<offset, base 36>.<hash, base 36>.<channel id>
struct SearchToken {
    /// The last message that was looked at; the next page lies below it.
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

    /// - Throws: 107 when the token is not one of ours or belongs to another search.
    init(_ text: String, filterHash: UInt64) throws(Rejection) {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "s1", let time = Int64(parts[1], radix: 36),
            let offset = UInt64(parts[2], radix: 36), let hash = UInt64(parts[3], radix: 36),
            let channel = ChannelID(String(parts[4]))
        else { throw Rejection(.badRequest, "next: not a token") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: belongs to another search") }
        self.init(place: SearchPlace(time: time, channel: channel, offset: offset), filterHash: filterHash)
    }
}

/// The messages of some channels that one person may see, from the newest to the oldest.
private struct NewestFirst {
    private struct Cursor: Comparable {
        let channel: ChannelState
        let lowest: Int
        private(set) var index: Int
        /// Of the message at `index`; kept because a heap compares often.
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
            let message = channel.messages[index]
            return SearchPlace(time: message.createdAt, channel: channel.id, offset: message.offset)
        }

        static func < (a: Self, b: Self) -> Bool { a.place < b.place }
        static func == (a: Self, b: Self) -> Bool { a.place == b.place }
    }

    private var cursors: Heap<Cursor> = []

    init(_ channels: [ChannelState], below start: SearchPlace?, _ caller: Caller) {
        cursors = Heap(channels.compactMap { Self.cursor(in: $0, below: start, caller) })
    }

    private static func cursor(in channel: ChannelState, below start: SearchPlace?, _ caller: Caller) -> Cursor? {
        let timeline = Timeline(channel: channel, selection: nil)
        let lowest = timeline.firstPlace(fromOffset: channel.visibleFrom(caller))
        var end = timeline.count
        if let start {
            if channel.id == start.channel {
                end = timeline.firstPlace(fromOffset: start.offset)
            } else {
                // Among messages of one time the channel's id decides.
                end =
                    channel.id < start.channel
                    ? timeline.firstPlace(afterTime: start.time) : timeline.firstPlace(fromTime: start.time)
            }
        }
        return end > lowest ? Cursor(channel, index: end - 1, lowest: lowest) : nil
    }

    mutating func next() -> (SearchPlace, ChannelState, StoredMessage)? {
        guard var cursor = cursors.popMax() else { return nil }
        let result = (cursor.place, cursor.channel, cursor.channel.messages[cursor.index])
        if cursor.index > cursor.lowest {
            cursor.goBack()
            cursors.insert(cursor)
        }
        return result
    }
}
