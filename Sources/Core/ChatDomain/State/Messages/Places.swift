import ChatModel

/// Distinct places in a channel's messages, ascending. Counting the places from one onwards is a binary search.
struct Places {
    /// Half the size of `Int`, because there are several places per message.
    private var items: [UInt32] = []

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    var last: Int? { items.last.map(Int.init) }

    subscript(index: Int) -> Int { Int(items[index]) }

    /// Returns the number of places before `place`.
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

    /// Returns the newest place before `place`.
    func last(before place: Int) -> Int? {
        let index = index(of: place)
        return index > 0 ? Int(items[index - 1]) : nil
    }

    /// Returns the first place at or after `place` that is not in `others`.
    ///
    /// - Parameter others: A subset of these places. After their first difference, the two sequences differ in every
    ///   element, so a binary search finds it.
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

    /// Removes the places before `place`.
    mutating func removeAll(before place: Int) { items.removeFirst(index(of: place)) }

    /// Removes and returns the places in a range.
    mutating func removeAll(in range: Range<Int>) -> Places {
        let removed = index(of: range.lowerBound)..<index(of: range.upperBound)
        var places = Places()
        places.items = Array(items[removed])
        items.removeSubrange(removed)
        return places
    }

    mutating func insert(_ places: Places) {
        if let last = items.last, let first = places.items.first, last >= first {
            for item in places.items { insert(Int(item)) }
        } else {
            items += places.items
        }
    }

    mutating func remove(_ place: Int) {
        let index = index(of: place)
        if index < items.count, Int(items[index]) == place { items.remove(at: index) }
    }
}

extension ShardedDictionary<UserID, Places> {
    mutating func insert(_ place: Int, of user: UserID) { change(user, default: Places()) { $0.insert(place) } }

    /// Gives a user's places in a range to another user.
    mutating func move(_ range: Range<Int>, of user: UserID, to other: UserID) {
        guard let moved = self[user]?.removeAll(in: range), !moved.isEmpty else { return }
        if self[user]?.isEmpty ?? false { self[user] = nil }
        change(other, default: Places()) { $0.insert(moved) }
    }

    /// Removes the place, and the user's entry if it becomes empty.
    mutating func remove(_ place: Int, of user: UserID) {
        self[user]?.remove(place)
        if self[user]?.isEmpty ?? false { self[user] = nil }
    }

    mutating func removeAll(before place: Int, of user: UserID) {
        self[user]?.removeAll(before: place)
        if self[user]?.isEmpty ?? false { self[user] = nil }
    }
}
