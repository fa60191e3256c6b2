import DequeModule
import HeapModule

/// Selects the lane whose payer has received the least work so far, in virtual time (start-time fair queueing).
///
/// A payer that was idle resumes at the current virtual time, with neither debt nor credit. A new payer therefore waits
/// for the item in progress and for no further item of heavy users, however many of theirs are queued.
///
/// Pure; costs are in work units.
struct FairQueue<Item> {
    /// The work one payer has received, in virtual time.
    fileprivate final class Account {
        let payer: Payer
        var time: Int

        init(_ payer: Payer, at time: Int) {
            self.payer = payer
            self.time = time
        }
    }

    /// The queued items of one lane. An empty lane is kept for a while, so that each command costs one look-up.
    final class WaitingLane {
        let lane: Lane
        fileprivate var account: Account
        fileprivate var items: Deque<Item> = []
        /// Whether the lane has a place, or one of its items is in progress.
        fileprivate var isActive = false

        fileprivate init(_ lane: Lane, _ account: Account) {
            self.lane = lane
            self.account = account
        }
    }

    /// A lane's place among the waiting lanes. It is stale if the payer's time has advanced since.
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
    /// The virtual time of the payer served last.
    private var now = 0
    /// The virtual time of the payer that has received the most work.
    private var latest = 0
    private var lastOrder: UInt64 = 0
    /// The number of lanes at which idle ones whose payers are not ahead of `now` are dropped.
    private var pruneAt = 1_024
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }
    /// Whether `next` returns an item: not all lanes are parked.
    var hasNext: Bool { !places.isEmpty }
    /// The number of payers or lanes kept, whichever is larger.
    var payerCount: Int { max(accounts.count, lanes.count) }

    mutating func append(_ item: Item, to lane: Lane, of payer: Payer) {
        count += 1
        let waiting = lanes[lane] ?? addLane(lane, payer)
        waiting.items.append(item)
        guard !waiting.isActive else { return }
        waiting.isActive = true
        if waiting.account.payer != payer { waiting.account = account(of: payer) }
        enqueue(waiting)
    }

    private mutating func addLane(_ lane: Lane, _ payer: Payer) -> WaitingLane {
        let waiting = WaitingLane(lane, account(of: payer))
        lanes[lane] = waiting
        return waiting
    }

    private mutating func account(of payer: Payer) -> Account {
        if let known = accounts[payer] { return known }
        // A lane may change its payer with each command, as a guest changes addresses, so both are counted.
        if payerCount >= pruneAt { prune() }
        let new = Account(payer, at: now)
        accounts[payer] = new
        return new
    }

    private mutating func prune() {
        lanes = lanes.filter { $0.value.isActive || $0.value.account.time > now }
        accounts = accounts.filter { $0.value.time > now }
        for lane in lanes.values { accounts[lane.account.payer] = lane.account }
        pruneAt = max(1_024, 2 * payerCount)
    }

    private mutating func enqueue(_ lane: WaitingLane) {
        lastOrder += 1
        places.insert(Place(time: max(now, lane.account.time), order: lastOrder, lane: lane))
    }

    /// Removes the next item. Its lane yields no further item until `finishTurn` is called.
    mutating func next() -> (item: Item, lane: WaitingLane)? {
        while let place = places.popMin() {
            if place.lane.account.time > place.time {
                // The payer was served through another lane meanwhile.
                enqueue(place.lane)
                continue
            }
            now = max(now, place.time)
            guard let item = place.lane.items.popFirst() else { continue }
            return (item, place.lane)
        }
        return nil
    }

    /// Ends the turn of a lane's current item.
    ///
    /// - Parameters:
    ///   - cost: The turn's cost in work units.
    ///   - rest: The remainder of the item, for the lane's next turn.
    mutating func finishTurn(of lane: WaitingLane, cost: Int, rest: Item? = nil) {
        charge(lane.account, cost)
        if let rest { lane.items.prepend(rest) } else { count -= 1 }
        lane.isActive = !lane.items.isEmpty
        if lane.isActive { enqueue(lane) }
        // An empty queue puts all payers back on a par.
        if count == 0 { now = latest }
    }

    /// Ends the turn of an item that waits for something else. Its lane yields nothing until `resume`.
    mutating func park(_ lane: WaitingLane, cost: Int, rest: Item) {
        charge(lane.account, cost)
        lane.items.prepend(rest)
    }

    mutating func resume(_ lane: WaitingLane) { enqueue(lane) }

    private mutating func charge(_ account: Account, _ cost: Int) {
        account.time = max(now, account.time) + max(1, cost / account.payer.weight)
        latest = max(latest, account.time)
    }
}
