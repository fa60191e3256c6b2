import ChatModel
import WireProtocol

/// Where something stands in a list that is told by pages.
protocol ListPlace: Comparable {
    /// The place in a token: as many words for every place, and no dot in any of them.
    var words: [String] { get }

    /// - Returns: `nil` for what is not the words of a place.
    init?(words: [Substring])
}

extension ListPlace {
    /// The token of the page that comes after this place. Opaque to clients.
    ///
    ///     1.<words of the place>.<hash of the filters, base 36>
    func token(filterHash: UInt64) -> String {
        (["1"] + words + [String(filterHash, radix: 36)]).joined(separator: ".")
    }

    /// - Throws: 107 when the token is not one of ours or belongs to other filters.
    init(token: String, filterHash: UInt64) throws(Rejection) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.first == "1", let hash = parts.last.flatMap({ UInt64($0, radix: 36) }),
            let place = Self(words: Array(parts.dropFirst().dropLast()))
        else { throw Rejection(.badRequest, "next: not a token") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: belongs to other filters") }
        self = place
    }

    /// The first places after the token's, ascending: one pass, whatever the number of places.
    ///
    /// - Returns: At most `limit` places, and the token of the next page unless this is the last.
    static func page(
        of places: some Sequence<Self>, limit: Int?, next: String?, filterHash: UInt64
    ) throws(Rejection) -> (places: [Self], next: String?) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let limit = limit ?? FieldLimits.defaultPageSize
        var start: Self?
        if let next { start = try Self(token: next, filterHash: filterHash) }
        // One more than the page holds tells whether there is another.
        var best: [Self] = []
        for place in places {
            if let start, place <= start { continue }
            if best.count > limit, let last = best.last, last < place { continue }
            best.insert(place, at: firstIndex(after: place, in: best))
            if best.count > limit + 1 { best.removeLast() }
        }
        guard best.count > limit else { return (best, nil) }
        best.removeLast()
        return (best, best.last?.token(filterHash: filterHash))
    }

    private static func firstIndex(after place: Self, in ascending: [Self]) -> Int {
        var low = 0
        var high = ascending.count
        while low < high {
            let middle = low + (high - low) / 2
            if place < ascending[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
