extension Sequence {
    /// The least elements, ascending: one pass, however many there are.
    func least(_ count: Int, by precedes: (Element, Element) -> Bool) -> [Element] {
        var least: [Element] = []
        for element in self {
            least.append(element)
            guard least.count >= 2 * count else { continue }
            least.sort(by: precedes)
            least.removeLast(least.count - count)
        }
        least.sort(by: precedes)
        return Array(least.prefix(count))
    }
}
