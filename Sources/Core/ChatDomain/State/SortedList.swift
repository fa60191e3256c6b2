/// Distinct elements in ascending order, found by binary search.
struct SortedList<Element: Comparable> {
    private(set) var elements: [Element] = []

    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        let index = lowerBound(of: element)
        if index == elements.count || elements[index] != element { elements.insert(element, at: index) }
    }

    mutating func remove(_ element: Element) {
        let index = lowerBound(of: element)
        if index < elements.count, elements[index] == element { elements.remove(at: index) }
    }

    /// Returns the number of elements up to and including `element`.
    func upperBound(of element: Element) -> Int {
        let index = lowerBound(of: element)
        return index < elements.count && elements[index] == element ? index + 1 : index
    }

    /// Returns the number of elements before `element`.
    func lowerBound(of element: Element) -> Int {
        // Elements from a snapshot arrive in order.
        guard let last = elements.last, !(last < element) else { return elements.count }
        var low = 0
        var high = elements.count
        while low < high {
            let middle = low + (high - low) / 2
            if elements[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
