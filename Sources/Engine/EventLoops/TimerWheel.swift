/// Identifies one scheduled timer. Invalid once the timer has fired or was cancelled.
package struct TimerToken: Hashable, Sendable {
    let index: Int32
    let generation: UInt32

    /// A token that never identified a timer.
    static let none = TimerToken(index: .max, generation: 0)
}

/// A hashed timer wheel. Deadlines are in ticks, and time is passed in. Scheduling and cancelling are O(1); a tick
/// costs as much as its slot holds.
///
/// Slot `deadline % slotCount` holds a timer, in scheduling order, together with those of later turns of the wheel.
/// `advance` moves expired timers to the list of due ones, and `popDue` returns them one by one, so that a timer can
/// still be cancelled by another one due in the same tick.
package struct TimerWheel<Value> {
    private struct Node {
        var deadline: UInt64
        var generation: UInt32
        /// Its slot, or `slotCount` when due.
        var list: Int
        var previous: Int32
        var next: Int32
        /// Nil while the node is free; `next` then links to the next free node.
        var value: Value?
    }

    private struct List {
        var first: Int32 = TimerWheel.nowhere
        var last: Int32 = TimerWheel.nowhere
    }

    private static var nowhere: Int32 { -1 }

    private let slotCount: Int
    private var nodes: [Node] = []
    private var firstFree: Int32 = Self.nowhere
    /// The slots, followed by the list of due timers.
    private var lists: [List]

    /// The current tick: every timer up to it is due or gone.
    package private(set) var tick: UInt64
    /// Timers neither returned nor cancelled.
    package private(set) var count = 0

    package init(slotCount: Int = 512, tick: UInt64 = 0) {
        precondition(slotCount > 0, "a wheel needs a slot")
        self.slotCount = slotCount
        self.tick = tick
        lists = Array(repeating: List(), count: slotCount + 1)
    }

    package var isEmpty: Bool { count == 0 }

    package var hasDue: Bool { lists[slotCount].first != Self.nowhere }

    /// Schedules a value for a tick; a past tick means the next one.
    package mutating func schedule(_ value: Value, at deadline: UInt64) -> TimerToken {
        let deadline = max(deadline, tick + 1)
        let index = allocate(value, deadline: deadline)
        append(index, to: slot(of: deadline))
        count += 1
        return TimerToken(index: index, generation: nodes[Int(index)].generation)
    }

    /// - Returns: The cancelled value, so that the caller releases it; nil when it has fired or was cancelled before.
    package mutating func cancel(_ token: TimerToken) -> Value? {
        guard token.index < nodes.count, nodes[Int(token.index)].generation == token.generation else { return nil }
        return remove(token.index)
    }

    /// Advances time and makes expired timers due. Ignores time that goes backwards.
    package mutating func advance(to now: UInt64) {
        guard now > tick else { return }
        guard !isEmpty else {
            tick = now
            return
        }
        let elapsed = now - tick
        if elapsed <= UInt64(slotCount) {
            // Each slot's expired timers belong to exactly that tick, so the order is already right.
            for tick in tick + 1...now {
                for index in expired(in: slot(of: tick), at: now) { makeDue(index) }
            }
        } else {
            // After a long stall, each slot is scanned once, however many turns were missed.
            let late = (0..<slotCount).flatMap { expired(in: $0, at: now) }
            let order = late.indices.sorted {
                // Equal deadlines share a slot, so their position in it gives the scheduling order.
                (nodes[Int(late[$0])].deadline, $0) < (nodes[Int(late[$1])].deadline, $1)
            }
            for position in order { makeDue(late[position]) }
        }
        tick = now
    }

    /// - Returns: The next due value, by deadline and then scheduling order; nil when none is due.
    package mutating func popDue() -> Value? {
        let first = lists[slotCount].first
        return first == Self.nowhere ? nil : remove(first)
    }

    private func slot(of deadline: UInt64) -> Int {
        Int(deadline % UInt64(slotCount))
    }

    private func expired(in slot: Int, at now: UInt64) -> [Int32] {
        var expired: [Int32] = []
        var index = lists[slot].first
        while index != Self.nowhere {
            if nodes[Int(index)].deadline <= now { expired.append(index) }
            index = nodes[Int(index)].next
        }
        return expired
    }

    private mutating func makeDue(_ index: Int32) {
        unlink(index)
        append(index, to: slotCount)
    }

    /// Unlinks and frees a node, and advances its generation, which invalidates its token.
    private mutating func remove(_ index: Int32) -> Value? {
        unlink(index)
        count -= 1
        let value = nodes[Int(index)].value.take()
        nodes[Int(index)].generation &+= 1
        nodes[Int(index)].next = firstFree
        firstFree = index
        return value
    }

    private mutating func allocate(_ value: Value, deadline: UInt64) -> Int32 {
        let index = firstFree
        guard index != Self.nowhere else {
            nodes.append(
                Node(
                    deadline: deadline, generation: 0, list: slotCount, previous: Self.nowhere, next: Self.nowhere,
                    value: value))
            return Int32(nodes.count - 1)
        }
        firstFree = nodes[Int(index)].next
        nodes[Int(index)].deadline = deadline
        nodes[Int(index)].value = value
        return index
    }

    private mutating func append(_ index: Int32, to list: Int) {
        let last = lists[list].last
        nodes[Int(index)].list = list
        nodes[Int(index)].previous = last
        nodes[Int(index)].next = Self.nowhere
        if last == Self.nowhere { lists[list].first = index } else { nodes[Int(last)].next = index }
        lists[list].last = index
    }

    private mutating func unlink(_ index: Int32) {
        let (list, previous, next) =
            (nodes[Int(index)].list, nodes[Int(index)].previous, nodes[Int(index)].next)
        if previous == Self.nowhere { lists[list].first = next } else { nodes[Int(previous)].next = next }
        if next == Self.nowhere { lists[list].last = previous } else { nodes[Int(next)].previous = previous }
    }
}
