import ChatModel
import HeapModule

/// The first keys of an unordered collection after a key, in ascending order; found in slices.
struct KeyWindow {
    /// A text, ordered by its bytes.
    private struct Key: Comparable {
        let text: String

        static func == (a: Self, b: Self) -> Bool { ByteOrder.areEqual(a.text, b.text) }
        static func < (a: Self, b: Self) -> Bool { ByteOrder.precedes(a.text, b.text) }
    }

    /// The keys that are not examined yet. Shared by copies of the window, of which only one may go on gathering.
    private var source: AnyIterator<String?>?
    private let start: String
    private let limit: Int
    private var best: Heap<Key> = []
    private var keys: [Key] = []
    private var index = 0

    /// - Parameters:
    ///   - source: The keys, each once, none of them empty; nil for an entry to pass over.
    ///   - start: The key after which the window begins; empty for the first one.
    ///   - limit: The maximum number of keys, at least 1.
    init(_ source: AnyIterator<String?>, after start: String, limit: Int) {
        self.source = source
        self.start = start
        self.limit = limit
    }

    /// Whether keys may follow those of the window.
    private(set) var hasMore = false

    /// Examines keys until none is left or the slice is over.
    ///
    /// - Returns: Whether the window is complete.
    mutating func gather(_ work: WorkMeter) -> Bool {
        guard let source else { return true }
        while let text = source.next() {
            work.charge(WorkCost.key)
            if let text { offer(text, work) }
            if work.isSliceOver { return false }
        }
        work.charge(best.count * WorkCost.key)
        keys = best.unordered.sorted()
        best = []
        self.source = nil
        return true
    }

    private mutating func offer(_ text: String, _ work: WorkMeter) {
        work.charge(2 * text.utf8.count / WorkCost.comparedBytes)
        guard ByteOrder.precedes(start, text) else { return }
        let key = Key(text: text)
        guard best.count >= limit else { return best.insert(key) }
        hasMore = true
        if let last = best.max, key < last { best.replaceMax(with: key) }
    }

    /// Removes and returns the first key of a complete window.
    mutating func popFirst() -> String? {
        guard index < keys.count else { return nil }
        defer { index += 1 }
        return keys[index].text
    }
}
