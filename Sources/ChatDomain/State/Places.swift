import ChatModel

/// Places in a channel's messages, ascending, each once. A count from some place on is a binary search.
struct Places {
    /// Half the size of `Int`: there are several of these per message.
    private var items: [UInt32] = []

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    var last: Int? { items.last.map(Int.init) }

    subscript(index: Int) -> Int { Int(items[index]) }

    /// How many lie before a place.
    func index(of place: Int) -> Int {
        var low = 0
        var high = items.count
        while low < high {
            let middle = low + (high - low) / 2
            if Int(items[middle]) < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(_ place: Int) -> Bool {
        let index = index(of: place)
        return index < items.count && Int(items[index]) == place
    }

    func count(from place: Int) -> Int { items.count - index(of: place) }

    /// The newest one before a place.
    func last(before place: Int) -> Int? {
        let index = index(of: place)
        return index > 0 ? Int(items[index - 1]) : nil
    }

    /// The first one from a place on that is not among some of these.
    ///
    /// - Parameter others: A part of these places. From where they part on they stay apart, so that a binary search
    ///   finds it however long the run of others is.
    func first(from place: Int, notIn others: Places) -> Int? {
        let start = index(of: place)
        let othersStart = others.index(of: place)
        var low = 0
        var high = items.count - start
        while low < high {
            let middle = low + (high - low) / 2
            let isShared =
                othersStart + middle < others.items.count && others.items[othersStart + middle] == items[start + middle]
            if isShared { low = middle + 1 } else { high = middle }
        }
        return start + low < items.count ? Int(items[start + low]) : nil
    }

    mutating func insert(_ place: Int) {
        let item = UInt32(clamping: place)
        if let last = items.last, last >= item {
            let index = index(of: place)
            if items[index] != item { items.insert(item, at: index) }
        } else {
            items.append(item)
        }
    }

    mutating func remove(_ place: Int) {
        let index = index(of: place)
        if index < items.count, Int(items[index]) == place { items.remove(at: index) }
    }
}

extension [UserID: Places] {
    mutating func insert(_ place: Int, of user: UserID) { self[user, default: Places()].insert(place) }

    /// Leaves no empty entry behind.
    mutating func remove(_ place: Int, of user: UserID) {
        self[user]?.remove(place)
        if self[user]?.isEmpty ?? false { self[user] = nil }
    }
}
