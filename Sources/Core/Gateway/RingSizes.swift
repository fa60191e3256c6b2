import ChatModel
import DequeModule

/// An index that finds the largest rings, grouped by powers of two.
///
/// A ring gets a new entry when it outgrows its size class, so size changes within a class cost nothing. Stale entries
/// are skipped when popped and pruned before they accumulate.
struct RingSizes: Sendable {
    struct Entry: Sendable, Equatable {
        let generation: UInt64
        let sizeClass: Int
        /// A number that distinguishes this entry from earlier entries of the same ring.
        var version: UInt64 = 0
    }

    /// The entries by size class, oldest first.
    private var classes: [Deque<(room: Room, entry: Entry)>] = Array(repeating: [], count: Int.bitWidth + 1)
    /// The highest class that may have entries.
    private var highest = 0
    private(set) var count = 0

    static func sizeClass(of bytes: Int) -> Int { Int.bitWidth - max(0, bytes).leadingZeroBitCount }

    mutating func add(_ room: Room, _ entry: Entry) {
        classes[entry.sizeClass].append((room, entry))
        highest = max(highest, entry.sizeClass)
        count += 1
    }

    /// - Parameter isValid: Returns whether an entry is still valid.
    mutating func prune(keeping isValid: (Room, Entry) -> Bool) {
        for index in classes.indices { classes[index].removeAll { !isValid($0.room, $0.entry) } }
        count = classes.reduce(0) { $0 + $1.count }
    }

    /// - Returns: The oldest entry of the highest class that has any; nil if there are no entries.
    mutating func popLargest() -> (room: Room, entry: Entry)? {
        while highest >= 0 {
            if let entry = classes[highest].popFirst() {
                count -= 1
                return entry
            }
            if highest == 0 { return nil }
            highest -= 1
        }
        return nil
    }
}
