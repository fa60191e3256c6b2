/// The smallest elements of an unsorted collection, such as the first page of a list, found in a single pass.
package struct FirstElements<Element: Comparable> {
    /// The elements, ascending; at most `limit`.
    package private(set) var elements: [Element] = []
    private let limit: Int

    /// - Parameter limit: The maximum number of elements; nothing is kept below 1.
    package init(_ limit: Int) { self.limit = max(0, limit) }

    package mutating func insert(_ element: Element) {
        // In a large collection, most elements are greater than those already kept.
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
