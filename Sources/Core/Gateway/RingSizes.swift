import ChatModel
import DequeModule

/// Finds the largest rings, grouped by powers of two.
///
/// A ring gets a new entry when it outgrows its current one. Stale entries are skipped when popped, and pruned before
/// they pile up. So a ring costs nothing while its size stays within a power of two.
struct RingSizes: Sendable {
    struct Entry: Sendable, Equatable {
        let generation: UInt64
        let sizeClass: Int
        /// Distinguishes this entry of a ring from earlier ones.
        var version: UInt64 = 0
    }

    /// By size class, oldest entries first.
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

    /// - Parameter isValid: Whether an entry is still valid.
    mutating func prune(keeping isValid: (Room, Entry) -> Bool) {
        for index in classes.indices { classes[index].removeAll { !isValid($0.room, $0.entry) } }
        count = classes.reduce(0) { $0 + $1.count }
    }

    /// - Returns: An entry of the highest class that has any; nil when there is none.
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
