import ChatModel

/// A message's place among the messages of all channels, ordered by time, then channel, then offset.
struct SearchPlace: Comparable {
    let time: Int64
    let channel: ChannelID
    let offset: UInt64

    /// The place directly after this one.
    var next: SearchPlace { SearchPlace(time: time, channel: channel, offset: offset &+ 1) }

    static func < (a: Self, b: Self) -> Bool { (a.time, a.channel, a.offset) < (b.time, b.channel, b.offset) }
}

/// A message's rank in a search by relevance: the better score first, then the newer message.
struct SearchRank: Comparable {
    let score: Int
    let place: SearchPlace

    /// Whether it comes first.
    static func < (a: Self, b: Self) -> Bool { (a.score, a.place) > (b.score, b.place) }
}

/// The end of a search page: version, time, offset, a hash of the query, and the channel.
///
///     s2.<ms since 1970, base 36>.<offset, base 36>.<hash, base 36>.<channel id>
///
/// By relevance, it also has the place below which the first page began, so that newer messages do not disturb paging,
/// and the score of the last message:
///
///     r2.<ms>.<offset>.<hash>.<score>.<ms>.<offset>.<bytes of the next id>.<channel id><channel id of the last one>
struct SearchPageToken {
    /// The next page has messages before this place only.
    let start: SearchPlace
    /// By relevance: the last message of the page.
    let last: SearchRank?
    let filterHash: UInt64

    init(start: SearchPlace, last: SearchRank? = nil, filterHash: UInt64) {
        self.start = start
        self.last = last
        self.filterHash = filterHash
    }

    var text: String {
        let numbers = [
            String(start.time, radix: 36), String(start.offset, radix: 36), String(filterHash, radix: 36),
        ]
        guard let last else { return "s2.\(numbers.joined(separator: ".")).\(start.channel)" }
        let rank = [
            String(last.score, radix: 36), String(last.place.time, radix: 36), String(last.place.offset, radix: 36),
            String(start.channel.rawValue.utf8.count, radix: 36),
        ]
        return "r2.\((numbers + rank).joined(separator: ".")).\(start.channel)\(last.place.channel)"
    }

    /// - Throws: 107 if the token was not issued here or belongs to another search.
    init(_ text: String, isRanked: Bool, filterHash: UInt64) throws(Rejection) {
        guard let token = isRanked ? Self.ranked(text) : Self.plain(text) else {
            throw Rejection(.badRequest, "next: must be the token of a previous response")
        }
        guard token.filterHash == filterHash else {
            throw Rejection(.badRequest, "next: the token belongs to another search")
        }
        self = token
    }

    private static func plain(_ text: String) -> SearchPageToken? {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "s2", let time = Int64(parts[1], radix: 36),
            let offset = UInt64(parts[2], radix: 36), let hash = UInt64(parts[3], radix: 36),
            let channel = ChannelID(String(parts[4]))
        else { return nil }
        return SearchPageToken(
            start: SearchPlace(time: time, channel: channel, offset: offset), filterHash: hash)
    }

    private static func ranked(_ text: String) -> SearchPageToken? {
        let parts = text.split(separator: ".", maxSplits: 8, omittingEmptySubsequences: false)
        guard parts.count == 9, parts[0] == "r2", let time = Int64(parts[1], radix: 36),
            let offset = UInt64(parts[2], radix: 36), let hash = UInt64(parts[3], radix: 36),
            let score = Int(parts[4], radix: 36), let lastTime = Int64(parts[5], radix: 36),
            let lastOffset = UInt64(parts[6], radix: 36), let size = Int(parts[7], radix: 36), size >= 0
        else { return nil }
        let ids = Array(parts[8].utf8)
        guard size <= ids.count, let first = String(validating: ids.prefix(size), as: UTF8.self),
            let second = String(validating: ids.dropFirst(size), as: UTF8.self), let channel = ChannelID(first),
            let lastChannel = ChannelID(second)
        else { return nil }
        return SearchPageToken(
            start: SearchPlace(time: time, channel: channel, offset: offset),
            last: SearchRank(
                score: score, place: SearchPlace(time: lastTime, channel: lastChannel, offset: lastOffset)),
            filterHash: hash)
    }
}
