import DequeModule
import HeapModule

/// Whose turn it is: the lane whose payer has had the least work done so far, in virtual time (start-time fair queueing).
///
/// Who was idle begins where those are who were served last, neither with a debt nor with savings. So a newcomer waits for the
/// item that is being carried out and no further one of those who ask for much, however many of theirs wait.
///
/// Pure: cost is told in work units.
struct FairQueue<Item> {
    private struct WaitingLane {
        var items: Deque<Item> = []
        var payer: Payer
    }

    /// A lane's place among those that wait. The payer's time may have gone on since: then the place is old.
    private struct Place: Comparable {
        let time: Int
        let order: UInt64
        let lane: Lane

        static func < (a: Self, b: Self) -> Bool { (a.time, a.order) < (b.time, b.order) }
        static func == (a: Self, b: Self) -> Bool { a.order == b.order }
    }

    private var lanes: [Lane: WaitingLane] = [:]
    private var places: Heap<Place> = []
    /// Virtual time by payer; who is not here stands at `now`.
    private var times: [Payer: Int] = [:]
    /// Of those who were served last.
    private var now = 0
    private var lastOrder: UInt64 = 0
    /// At this size those who gained nothing over the others are forgotten.
    private var pruneAt = 1_024
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }
    /// Payers of whom something is remembered.
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

    /// Takes out the next item. The lane waits for `done` before its next one comes.
    mutating func next() -> (item: Item, lane: Lane)? {
        while let place = places.popMin() {
            guard let payer = lanes[place.lane]?.payer else { continue }
            if let time = times[payer], time > place.time {
                // Served meanwhile by way of another lane.
                wait(place.lane, payer)
                continue
            }
            now = max(now, place.time)
            guard let item = lanes[place.lane]?.items.popFirst() else { continue }
            return (item, place.lane)
        }
        return nil
    }

    /// The item that came last is done with for now.
    ///
    /// - Parameters:
    ///   - cost: In work units.
    ///   - rest: What is left of it to do, in the lane's next turn.
    mutating func done(_ lane: Lane, cost: Int, rest: Item? = nil) {
        guard let payer = lanes[lane]?.payer else { return }
        times[payer] = max(now, times[payer] ?? now) + max(1, cost / payer.weight)
        if let rest { lanes[lane]?.items.prepend(rest) } else { count -= 1 }
        if lanes[lane]?.items.isEmpty ?? true { lanes[lane] = nil } else { wait(lane, payer) }
        // When nobody waits, nobody is ahead of anybody.
        if count == 0 { times.removeAll(keepingCapacity: times.count <= pruneAt) }
        if times.count >= pruneAt {
            times = times.filter { $0.value > now }
            pruneAt = max(1_024, 2 * times.count)
        }
    }
}
