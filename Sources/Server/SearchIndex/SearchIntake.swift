import ChatDomain
import ChatEngine
import DequeModule

/// What waits for the index, in order and within limits.
///
/// Once there is too much, only the channels are kept, each with the lowest offset that changed: their messages are read
/// from the chat later. This holds until everything in the queue has been taken.
struct SearchIntake {
    struct Limits {
        var changes = 100_000
        var bytes = 67_108_864
    }

    enum Item {
        case change(SearchChange)
        /// What was read from a channel that is behind.
        case fill(SearchRoom, from: UInt64, SearchFill)
        /// The index begins anew with these channels.
        case rooms([SearchRoom], SearchProgress)
    }

    /// What is taken at once.
    struct Batch {
        var items: [Item] = []
        /// Channels that are behind after the items.
        var behind: [(room: SearchRoom, offset: UInt64)] = []
        var deleted: [SearchRoom] = []
        /// The last frame whose changes are in this batch or an earlier one; nil if it has not advanced.
        var progress: SearchProgress?
    }

    private let limits: Limits
    private var items: Deque<Item> = []
    private(set) var changes = 0
    private var bytes = 0
    private var behind: [SearchRoom: UInt64] = [:]
    private var deleted: Set<SearchRoom> = []
    private var progress: SearchProgress?

    init(limits: Limits) { self.limits = limits }

    private var isOverflowing: Bool { !behind.isEmpty || !deleted.isEmpty }

    /// Whether nothing waits except for progress.
    var isEmpty: Bool { items.isEmpty && !isOverflowing }

    /// The last frame that was appended and not taken.
    var waitingFrame: UInt64? { progress?.frame }

    mutating func append(_ new: [SearchChange], through progress: SearchProgress) {
        for change in new { append(change) }
        self.progress = progress
    }

    private mutating func append(_ change: SearchChange) {
        guard isOverflowing || changes >= limits.changes || bytes + change.size > limits.bytes else {
            items.append(.change(change))
            changes += 1
            bytes += change.size
            return
        }
        switch change {
        case .put(let room, let offset, _), .remove(let room, let offset):
            behind[room] = min(behind[room] ?? offset, offset)
        case .readRoom(let room): behind[room] = 0
        case .removeRoom(let room):
            behind[room] = nil
            deleted.insert(room)
        }
    }

    /// For items of which there is at most one at a time.
    mutating func append(_ item: Item) { items.append(item) }

    /// - Parameter limit: The largest number of items.
    mutating func take(atMost limit: Int) -> Batch {
        var batch = Batch()
        while batch.items.count < limit, let item = items.popFirst() {
            if case .change(let change) = item {
                changes -= 1
                bytes -= change.size
            }
            batch.items.append(item)
        }
        guard items.isEmpty else { return batch }
        batch.behind = behind.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        batch.deleted = deleted.sorted()
        batch.progress = progress
        (behind, deleted, progress) = ([:], [], nil)
        return batch
    }

    /// Forgets everything, because the index begins anew.
    mutating func removeAll() { self = SearchIntake(limits: limits) }
}
