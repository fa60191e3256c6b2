import ChatModel
import WireProtocol

/// Where something stands in a list that is told by pages.
protocol ListPlace: Comparable {
    /// Bytes that a comparison with another place may look at.
    var size: Int { get }

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
}

/// The first places of a list after a token's, gathered one by one: one pass, whatever the number of places.
struct PageCollector<Place: ListPlace> {
    private let limit: Int
    private let start: Place?
    private let filterHash: UInt64
    /// Ascending. One more than the page holds tells whether there is another.
    private var best: [Place] = []

    /// - Throws: 1032 for a limit out of range, 107 for a token that is not of this list.
    init(limit: Int?, next: String?, filterHash: UInt64) throws(Rejection) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        self.limit = limit ?? FieldLimits.defaultPageSize
        start = try next.map { token throws(Rejection) in try Place(token: token, filterHash: filterHash) }
        self.filterHash = filterHash
    }

    /// - Returns: With how many others the place was compared.
    mutating func offer(_ place: Place) -> Int {
        if let start, place <= start { return 1 }
        if best.count > limit, let last = best.last, last < place { return 2 }
        let (index, comparisons) = firstIndex(after: place)
        best.insert(place, at: index)
        if best.count > limit + 1 { best.removeLast() }
        return comparisons + 2
    }

    /// - Parameter view: What the list shows of a place; `nil` for what has gone meanwhile.
    /// - Returns: As many as fit into an answer, and the token of the next page unless this is the last.
    func page<View: WireSized>(
        _ context: Context, _ view: (Place) -> View?
    ) -> (views: [View], next: String?) {
        var budget = AnswerBudget(context)
        var views: [View] = []
        var last: Place?
        for place in best.prefix(limit) {
            if let view = view(place) {
                guard budget.admits(view) else { return (views, last?.token(filterHash: filterHash)) }
                views.append(view)
            }
            last = place
        }
        return (views, best.count > limit ? last?.token(filterHash: filterHash) : nil)
    }

    private func firstIndex(after place: Place) -> (index: Int, comparisons: Int) {
        var low = 0
        var comparisons = 0
        var high = best.count
        while low < high {
            let middle = low + (high - low) / 2
            comparisons += 1
            if place < best[middle] { high = middle } else { low = middle + 1 }
        }
        return (low, comparisons)
    }
}

/// How far a list has come with what it looks at.
struct ListProgress<Key, Place: ListPlace> {
    private let keys: [Key]
    private var index = 0
    private(set) var collector: PageCollector<Place>

    init(_ keys: [Key], _ collector: PageCollector<Place>) {
        self.keys = keys
        self.collector = collector
    }

    /// - Parameter place: Where an entry stands; `nil` for one that the list leaves out.
    /// - Returns: False when the slice was over before the last entry.
    mutating func look(_ context: Context, _ place: (Key) -> Place?) -> Bool {
        while index < keys.count {
            guard !context.work.isSliceOver else { return false }
            context.work.charge(WorkCost.entry)
            if let place = place(keys[index]) {
                context.work.charge(collector.offer(place) * place.size / WorkCost.comparedBytes)
            }
            index += 1
        }
        return true
    }
}
