extension Sequence {
    /// Returns the smallest `count` elements, ascending, after one pass over the sequence.
    func least(_ count: Int, by precedes: (Element, Element) -> Bool) -> [Element] {
        var least: [Element] = []
        // Only elements before this one can still be among them.
        var bound: Element?
        for element in self {
            if let bound, !precedes(element, bound) { continue }
            least.append(element)
            guard least.count >= 2 * count else { continue }
            least.sort(by: precedes)
            least.removeLast(least.count - count)
            bound = least.last
        }
        least.sort(by: precedes)
        return Array(least.prefix(count))
    }
}
