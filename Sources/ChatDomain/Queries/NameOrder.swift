import ChatModel
import WireProtocol

/// The order of people in lists: groups first, in each by folded nickname, among equals by id. All by bytes: the same
/// in every process and place.
struct NameOrder: Comparable {
    /// 0 or 1: whoever comes first by something else than the name.
    let group: UInt8
    let name: String
    let id: UserID

    init(_ user: UserState, group: UInt8 = 0) {
        self.group = group
        name = user.foldedNickname
        id = user.id
    }

    private init(group: UInt8, name: String, id: UserID) {
        self.group = group
        self.name = name
        self.id = id
    }

    static func < (a: Self, b: Self) -> Bool {
        if a.group != b.group { return a.group < b.group }
        if a.name.utf8.elementsEqual(b.name.utf8) { return a.id < b.id }
        return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.group == b.group && a.id == b.id && a.name.utf8.elementsEqual(b.name.utf8)
    }
}

extension NameOrder {
    /// The token of the page that comes after this place. Opaque to clients.
    ///
    ///     1.<group>.<name, hexadecimal>.<id, hexadecimal>.<hash of the filters, base 36>
    func token(filterHash: UInt64) -> String {
        "1.\(group).\(hexadecimal(name)).\(hexadecimal(id.rawValue)).\(String(filterHash, radix: 36))"
    }

    /// - Throws: 107 when the token is not one of ours or belongs to other filters.
    init(token: String, filterHash: UInt64) throws(Rejection) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "1", let group = UInt8(parts[1]), let name = readHexadecimal(parts[2]),
            let id = readHexadecimal(parts[3]).flatMap(UserID.init), let hash = UInt64(parts[4], radix: 36)
        else { throw Rejection(.badRequest, "next: not a token") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: belongs to other filters") }
        self.init(group: group, name: name, id: id)
    }

    /// The first places after the token's, ascending: one pass, whatever the number of people.
    ///
    /// - Returns: At most `limit` places, and the token of the next page unless this is the last.
    static func page(
        of places: some Sequence<NameOrder>, limit: Int?, next: String?, filterHash: UInt64
    ) throws(Rejection) -> (places: [NameOrder], next: String?) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let limit = limit ?? FieldLimits.defaultPageSize
        var start: NameOrder?
        if let next { start = try NameOrder(token: next, filterHash: filterHash) }
        // One more than the page holds tells whether there is another.
        var best: [NameOrder] = []
        for place in places {
            if let start, place <= start { continue }
            if best.count > limit, let last = best.last, last < place { continue }
            let index = best.firstIndex { place < $0 } ?? best.endIndex
            best.insert(place, at: index)
            if best.count > limit + 1 { best.removeLast() }
        }
        guard best.count > limit else { return (best, nil) }
        best.removeLast()
        return (best, best.last?.token(filterHash: filterHash))
    }
}

func hexadecimal(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }
    return String(decoding: bytes, as: UTF8.self)
}

func readHexadecimal(_ hexadecimal: Substring) -> String? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in hexadecimal.utf8 {
        guard let digit = digit(character) else { return nil }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return high == nil ? String(validating: bytes, as: UTF8.self) : nil
}

private func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
}
