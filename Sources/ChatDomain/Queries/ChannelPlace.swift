import ChatModel
import WireProtocol

/// Where a channel stands in a list: groups first, in each the greatest number, then by text, among equals by id. Texts
/// by bytes: the same in every process and place.
struct ChannelPlace: Comparable {
    /// 1: without what the list is ordered by.
    let group: UInt8
    /// Greatest first.
    let number: Int64
    let text: String
    let id: ChannelID

    static func time(_ number: Int64, _ id: ChannelID) -> Self { Self(group: 0, number: number, text: "", id: id) }

    /// - Parameter text: `nil` stands behind every text.
    static func text(_ text: String?, _ id: ChannelID) -> Self {
        Self(group: text == nil ? 1 : 0, number: 0, text: text ?? "", id: id)
    }

    static func < (a: Self, b: Self) -> Bool {
        if a.group != b.group { return a.group < b.group }
        if a.number != b.number { return a.number > b.number }
        if a.text.utf8.elementsEqual(b.text.utf8) { return a.id < b.id }
        return a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.group == b.group && a.number == b.number && a.id == b.id && a.text.utf8.elementsEqual(b.text.utf8)
    }
}

extension ChannelPlace {
    /// The token of the page that comes after this place. Opaque to clients.
    ///
    ///     1.<group>.<number, base 36>.<text, hexadecimal>.<id, hexadecimal>.<hash of the filters, base 36>
    func token(filterHash: UInt64) -> String {
        "1.\(group).\(String(number, radix: 36)).\(hexadecimal(text)).\(hexadecimal(id.rawValue))"
            + ".\(String(filterHash, radix: 36))"
    }

    /// - Throws: 107 when the token is not one of ours or belongs to other filters.
    init(token: String, filterHash: UInt64) throws(Rejection) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "1", let group = UInt8(parts[1]), let number = Int64(parts[2], radix: 36),
            let text = readHexadecimal(parts[3]), let id = readHexadecimal(parts[4]).flatMap(ChannelID.init),
            let hash = UInt64(parts[5], radix: 36)
        else { throw Rejection(.badRequest, "next: not a token") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: belongs to other filters") }
        self.init(group: group, number: number, text: text, id: id)
    }

    /// The first places after the token's, ascending: one pass, whatever the number of channels.
    ///
    /// - Returns: At most `limit` places, and the token of the next page unless this is the last.
    static func page(
        of places: some Sequence<ChannelPlace>, limit: Int?, next: String?, filterHash: UInt64
    ) throws(Rejection) -> (places: [ChannelPlace], next: String?) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let limit = limit ?? FieldLimits.defaultPageSize
        var start: ChannelPlace?
        if let next { start = try ChannelPlace(token: next, filterHash: filterHash) }
        // One more than the page holds tells whether there is another.
        var best: [ChannelPlace] = []
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

    private static func firstIndex(after place: ChannelPlace, in ascending: [ChannelPlace]) -> Int {
        var low = 0
        var high = ascending.count
        while low < high {
            let middle = low + (high - low) / 2
            if place < ascending[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
