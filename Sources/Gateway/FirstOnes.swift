/// The first so many, in order, of all that are offered: a page of a collection that is not sorted, by one look at each
/// element.
package struct FirstOnes<Element: Comparable> {
    /// Ascending, at most `limit`.
    package private(set) var elements: [Element] = []
    private let limit: Int

    /// - Parameter limit: Below 1 nothing is kept.
    package init(_ limit: Int) { self.limit = max(0, limit) }

    package mutating func offer(_ element: Element) {
        // Most of many come behind those that are here.
        if elements.count == limit {
            guard let last = elements.last, element < last else { return }
            elements.removeLast()
        }
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if elements[middle] < element { low = middle + 1 } else { high = middle }
        }
        elements.insert(element, at: low)
    }
}
