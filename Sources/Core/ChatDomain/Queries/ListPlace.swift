import ChatModel

/// A position in a paginated list.
protocol ListPlace: Comparable {
    /// The number of bytes that a comparison with another place may examine.
    var size: Int { get }

    /// The parts of the place in a token: the same number for every place, none of them with a dot.
    var components: [String] { get }

    /// - Returns: `nil` if the components do not form a place.
    init?(components: [Substring])
}

extension ListPlace {
    /// The token of the page after this place. Opaque to clients.
    ///
    ///     1.<components of the place>.<hash of the filters, base 36>
    func token(filterHash: UInt64) -> String {
        (["1"] + components + [String(filterHash, radix: 36)]).joined(separator: ".")
    }

    /// - Throws: 107 if the token was not issued here or belongs to other filters.
    init(token: String, filterHash: UInt64) throws(Rejection) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.first == "1", let hash = parts.last.flatMap({ UInt64($0, radix: 36) }),
            let place = Self(components: Array(parts.dropFirst().dropLast()))
        else { throw Rejection(.badRequest, "next: must be the token of a previous response") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: the token belongs to other filters") }
        self = place
    }
}

/// Collects the first places of a list after a token in a single pass over any number of places.
struct PageCollector<Place: ListPlace> {
    private let limit: Int
    private let start: Place?
    private let filterHash: UInt64
    /// The collected places, ascending: one more than fits on the page, which shows that another page follows.
    private var best: [Place] = []

    /// - Throws: 1032 for a limit out of range, 107 for a token from another list.
    init(limit: Int?, next: String?, filterHash: UInt64) throws(Rejection) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        self.limit = limit ?? FieldLimits.defaultPageSize
        start = try next.map { token throws(Rejection) in try Place(token: token, filterHash: filterHash) }
        self.filterHash = filterHash
    }

    /// - Returns: The number of comparisons made.
    mutating func offer(_ place: Place) -> Int {
        if let start, place <= start { return 1 }
        if best.count > limit, let last = best.last, last < place { return 2 }
        let (index, comparisons) = firstIndex(after: place)
        best.insert(place, at: index)
        if best.count > limit + 1 { best.removeLast() }
        return comparisons + 2
    }

    /// - Parameter view: Returns the list entry for a place; `nil` if it no longer exists.
    /// - Returns: As many entries as fit into a response, and the token of the next page; `nil` on the last page.
    func page<View: WireSized>(
        _ context: Context, _ view: (Place) -> View?
    ) -> (views: [View], next: String?) {
        var budget = AnswerBudget(context)
        var views: [View] = []
        var last: Place?
        for place in best.prefix(limit) {
            if let view = view(place) {
                guard budget.reserve(view) else { return (views, last?.token(filterHash: filterHash)) }
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

/// The key of a list entry.
protocol ListKey {
    /// The number of bytes hashed to look the key up.
    var size: Int { get }
}

extension UserID: ListKey { var size: Int { rawValue.utf8.count } }
extension ChannelID: ListKey { var size: Int { rawValue.utf8.count } }

/// The progress of a list query through its keys.
struct ListProgress<Key: ListKey, Place: ListPlace> {
    /// The keys still to be examined, in no particular order. Freed one by one, because freeing thousands at once takes
    /// long.
    private var keys: [Key]
    private(set) var collector: PageCollector<Place>

    init(_ keys: [Key], _ collector: PageCollector<Place>, _ context: Context) {
        self.keys = keys
        self.collector = collector
        context.work.charge(keys.count * WorkCost.key)
    }

    /// - Parameters:
    ///   - lookups: The number of tables in which an entry is looked up.
    ///   - place: Returns the place of an entry; `nil` to omit it from the list.
    /// - Returns: False if the slice ended before the last entry or has no time left to build the page.
    mutating func scan(_ context: Context, lookups: Int = 1, _ place: (Key) -> Place?) -> Bool {
        while let key = keys.last {
            guard !context.work.isSliceOver else { return false }
            context.work.charge(WorkCost.entry + lookups * key.size * WorkCost.idByte)
            if let place = place(key) {
                context.work.charge(collector.offer(place) * place.size / WorkCost.comparedBytes)
            }
            keys.removeLast()
        }
        return !context.work.isSliceHalfOver
    }
}
