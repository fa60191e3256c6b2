/// Places by hash: a hash table that takes 8 bytes per slot and grows in parts.
///
/// Different entries may have the same hash, so a caller checks what it finds. Places that are no longer kept are
/// removed whenever a part of the table is full, so they take at most as much space as those that are.
struct PlaceTable {
    private struct Slot {
        let hash: UInt32
        /// The place plus 1; 0 if the slot is free.
        let place: UInt32

        static let free = Slot(hash: 0, place: 0)
    }

    /// The number of entries above which they are spread over shards. Moving this few takes less than a millisecond.
    private static let smallCount = 4_096
    private static let shardBits = 6
    private static let leastSlots = 8

    /// One table while it is small, later one per shard. Each has a power of 2 of slots, one of which at least is free.
    private var tables: [[Slot]] = []
    private var counts: [Int] = []

    /// The size of the table, in slots.
    var slotCount: Int { tables.reduce(0) { $0 + $1.count } }

    /// Reserves space, because growing step by step moves the entries several times.
    ///
    /// - Parameter count: The number of places to insert.
    mutating func reserve(_ count: Int) {
        guard tables.isEmpty else { return }
        if count > Self.smallCount {
            // Slightly more than an even share, so that no shard grows for its last entries.
            let share = (count >> Self.shardBits) * 9 / 8
            reset(tables: 1 << Self.shardBits, slots: Self.slots(for: share))
        } else {
            reset(tables: 1, slots: Self.slots(for: count))
        }
    }

    /// Returns the last of the places with this hash that pass a check.
    func place(_ hash: UInt32, where isWanted: (Int) -> Bool) -> Int? {
        guard !tables.isEmpty else { return nil }
        let table = tables[shard(of: hash)]
        var index = Self.start(of: hash, in: table)
        var found: Int?
        while table[index].place != 0 {
            let place = Int(table[index].place) - 1
            if table[index].hash == hash, place > found ?? -1, isWanted(place) { found = place }
            index = (index + 1) & (table.count - 1)
        }
        return found
    }

    /// Adds a place, which must be below 2³² - 1. Several places may have the same hash.
    ///
    /// - Parameter firstKept: The first place that the table still has to find.
    mutating func insert(_ place: Int, _ hash: UInt32, firstKept: Int) {
        if tables.isEmpty { reset(tables: 1, slots: Self.leastSlots) }
        if tables.count == 1, counts[0] >= Self.smallCount { spread() }
        insert(Slot(hash: hash, place: UInt32(clamping: place + 1)), firstKept: firstKept)
    }

    /// Returns the hashes of a range of places; 0 for places that are not in the table.
    func hashes(_ range: Range<Int>) -> [UInt32] {
        var hashes = [UInt32](repeating: 0, count: range.count)
        for table in tables {
            for slot in table where range.contains(Int(slot.place) - 1) {
                hashes[Int(slot.place) - 1 - range.lowerBound] = slot.hash
            }
        }
        return hashes
    }

    private mutating func insert(_ slot: Slot, firstKept: Int) {
        let shard = shard(of: slot.hash)
        if (counts[shard] + 1) * 4 > tables[shard].count * 3 {
            // Half free at least, so that the next time is far.
            let kept = keptCount(in: tables[shard], after: firstKept)
            var table = Self.freeSlots(Self.slots(for: kept * 3 / 2))
            tables[shard].withUnsafeBufferPointer { old in
                for index in 0..<old.count where Int(old[index].place) > firstKept {
                    Self.insert(old[index], into: &table)
                }
            }
            tables[shard] = table
            counts[shard] = kept
        }
        Self.insert(slot, into: &tables[shard])
        counts[shard] += 1
    }

    private func keptCount(in table: [Slot], after place: Int) -> Int {
        table.withUnsafeBufferPointer { table in
            var count = 0
            for index in 0..<table.count where Int(table[index].place) > place { count += 1 }
            return count
        }
    }

    private mutating func spread() {
        let old = tables[0]
        // Twice the space, so that hardly any shard grows while the entries are spread.
        reset(tables: 1 << Self.shardBits, slots: Self.slots(for: 2 * Self.smallCount >> Self.shardBits))
        for slot in old where slot.place != 0 { insert(slot, firstKept: 0) }
    }

    private func shard(of hash: UInt32) -> Int { Int(hash) & (tables.count - 1) }

    private static func start(of hash: UInt32, in table: [Slot]) -> Int { Int(hash >> shardBits) & (table.count - 1) }

    private static func insert(_ slot: Slot, into table: inout [Slot]) {
        var index = start(of: slot.hash, in: table)
        while table[index].place != 0 { index = (index + 1) & (table.count - 1) }
        table[index] = slot
    }

    private mutating func reset(tables count: Int, slots: Int) {
        tables = Array(repeating: Self.freeSlots(slots), count: count)
        counts = Array(repeating: 0, count: count)
    }

    /// Returns the size of a table that is at most three quarters full with this many entries.
    private static func slots(for count: Int) -> Int {
        var slots = leastSlots
        while slots * 3 < count * 4 { slots *= 2 }
        return slots
    }

    private static func freeSlots(_ count: Int) -> [Slot] { Array(repeating: .free, count: count) }
}
