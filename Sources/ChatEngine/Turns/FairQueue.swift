import DequeModule
import HeapModule

/// Selects the lane whose payer has received the least work so far, in virtual time (start-time fair queueing).
///
/// A payer that was idle resumes at the current virtual time, with neither debt nor credit. A new payer therefore waits
/// for the item in progress and for no further item of heavy users, however many of theirs are queued.
///
/// Pure; costs are in work units.
struct FairQueue<Item> {
    private struct WaitingLane {
        var items: Deque<Item> = []
        var payer: Payer
    }

    /// A lane's place among the waiting lanes. It is stale if the payer's time has advanced since.
    private struct Place: Comparable {
        let time: Int
        let order: UInt64
        let lane: Lane

        static func < (a: Self, b: Self) -> Bool { (a.time, a.order) < (b.time, b.order) }
        static func == (a: Self, b: Self) -> Bool { a.order == b.order }
    }

    private var lanes: [Lane: WaitingLane] = [:]
    private var places: Heap<Place> = []
    /// Virtual time by payer; a payer without an entry is at `now`.
    private var times: [Payer: Int] = [:]
    /// The virtual time of the payer served last.
    private var now = 0
    private var lastOrder: UInt64 = 0
    /// The size at which payers that are not ahead of `now` are dropped from `times`.
    private var pruneAt = 1_024
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }
    /// Payers with an entry in `times`.
    var payerCount: Int { times.count }

    mutating func append(_ item: Item, to lane: Lane, of payer: Payer) {
        count += 1
        if lanes[lane] != nil {
            lanes[lane]?.items.append(item)
        } else {
            lanes[lane] = WaitingLane(items: [item], payer: payer)
            wait(lane, payer)
        }
    }

    private mutating func wait(_ lane: Lane, _ payer: Payer) {
        lastOrder += 1
        places.insert(Place(time: max(now, times[payer] ?? now), order: lastOrder, lane: lane))
    }

    /// Removes the next item. Its lane yields no further item until `done` is called.
    mutating func next() -> (item: Item, lane: Lane)? {
        while let place = places.popMin() {
            guard let payer = lanes[place.lane]?.payer else { continue }
            if let time = times[payer], time > place.time {
                // The payer was served through another lane in the meantime.
                wait(place.lane, payer)
                continue
            }
            now = max(now, place.time)
            guard let item = lanes[place.lane]?.items.popFirst() else { continue }
            return (item, place.lane)
        }
        return nil
    }

    /// Ends the turn of the item that `next` returned for this lane.
    ///
    /// - Parameters:
    ///   - cost: In work units.
    ///   - rest: The remaining work, for the lane's next turn.
    mutating func done(_ lane: Lane, cost: Int, rest: Item? = nil) {
        guard let payer = lanes[lane]?.payer else { return }
        times[payer] = max(now, times[payer] ?? now) + max(1, cost / payer.weight)
        if let rest { lanes[lane]?.items.prepend(rest) } else { count -= 1 }
        if lanes[lane]?.items.isEmpty ?? true { lanes[lane] = nil } else { wait(lane, payer) }
        // When nothing waits, no payer is ahead of another.
        if count == 0 { times.removeAll(keepingCapacity: times.count <= pruneAt) }
        if times.count >= pruneAt {
            times = times.filter { $0.value > now }
            pruneAt = max(1_024, 2 * times.count)
        }
    }
}
