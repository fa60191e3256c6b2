import DequeModule
import HeapModule

/// Whose turn it is: the lane whose payer has had the least work done so far, in virtual time (start-time fair queueing).
///
/// Who was idle begins where those are who were served last, neither with a debt nor with savings. So a newcomer waits for the
/// item that is being carried out and no further one of those who ask for much, however many of theirs wait.
///
/// Pure: cost is told in work units.
struct FairQueue<Item> {
    /// What one payer has had done, in virtual time.
    fileprivate final class Account {
        let payer: Payer
        var time: Int

        init(_ payer: Payer, at time: Int) {
            self.payer = payer
            self.time = time
        }
    }

    /// Commands of one lane; kept for a while when it is empty, so that each command is looked up once.
    final class WaitingLane {
        let lane: Lane
        fileprivate var account: Account
        fileprivate var items: Deque<Item> = []
        /// Whether it has a place, or one of its items is being carried out.
        fileprivate var isActive = false

        fileprivate init(_ lane: Lane, _ account: Account) {
            self.lane = lane
            self.account = account
        }
    }

    /// A lane's place among those that wait. The payer's time may have gone on since: then the place is old.
    private struct Place: Comparable {
        let time: Int
        let order: UInt64
        let lane: WaitingLane

        static func < (a: Self, b: Self) -> Bool { (a.time, a.order) < (b.time, b.order) }
        static func == (a: Self, b: Self) -> Bool { a.order == b.order }
    }

    private var lanes: [Lane: WaitingLane] = [:]
    private var accounts: [Payer: Account] = [:]
    private var places: Heap<Place> = []
    /// Of those who were served last.
    private var now = 0
    /// Of whoever has had most done.
    private var latest = 0
    private var lastOrder: UInt64 = 0
    /// At so many lanes those that are empty and gained nothing over the others are forgotten.
    private var pruneAt = 1_024
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }
    /// Payers and lanes of which something is remembered.
    var payerCount: Int { max(accounts.count, lanes.count) }

    mutating func append(_ item: Item, to lane: Lane, of payer: Payer) {
        count += 1
        let waiting = lanes[lane] ?? begin(lane, payer)
        waiting.items.append(item)
        guard !waiting.isActive else { return }
        waiting.isActive = true
        if waiting.account.payer != payer { waiting.account = account(of: payer) }
        wait(waiting)
    }

    private mutating func begin(_ lane: Lane, _ payer: Payer) -> WaitingLane {
        if lanes.count >= pruneAt { prune() }
        let waiting = WaitingLane(lane, account(of: payer))
        lanes[lane] = waiting
        return waiting
    }

    private mutating func account(of payer: Payer) -> Account {
        if let known = accounts[payer] { return known }
        let new = Account(payer, at: now)
        accounts[payer] = new
        return new
    }

    private mutating func prune() {
        lanes = lanes.filter { $0.value.isActive || $0.value.account.time > now }
        accounts = Dictionary(lanes.values.map { ($0.account.payer, $0.account) }) { first, _ in first }
        pruneAt = max(1_024, 2 * lanes.count)
    }

    private mutating func wait(_ lane: WaitingLane) {
        lastOrder += 1
        places.insert(Place(time: max(now, lane.account.time), order: lastOrder, lane: lane))
    }

    /// Takes out the next item. The lane waits for `done` before its next one comes.
    mutating func next() -> (item: Item, lane: WaitingLane)? {
        while let place = places.popMin() {
            if place.lane.account.time > place.time {
                // Served meanwhile by way of another lane.
                wait(place.lane)
                continue
            }
            now = max(now, place.time)
            guard let item = place.lane.items.popFirst() else { continue }
            return (item, place.lane)
        }
        return nil
    }

    /// The item that came last is done with for now.
    ///
    /// - Parameters:
    ///   - cost: In work units.
    ///   - rest: What is left of it to do, in the lane's next turn.
    mutating func done(_ lane: WaitingLane, cost: Int, rest: Item? = nil) {
        let account = lane.account
        account.time = max(now, account.time) + max(1, cost / account.payer.weight)
        latest = max(latest, account.time)
        if let rest { lane.items.prepend(rest) } else { count -= 1 }
        lane.isActive = !lane.items.isEmpty
        if lane.isActive { wait(lane) }
        // When nobody waits, nobody is ahead of anybody.
        if count == 0 { now = latest }
    }
}
