import ChatModel

/// A table of the loops that have listeners in each room, so that an event is sent only to those loops.
///
/// A *grant* gives a loop interest in a room; the loop returns it when its last listener leaves. A new grant may be on
/// its way at that time. The generation distinguishes grants, and only the latest one can be returned.
package struct RoomInterest: Sendable {
    private struct Entry {
        let loop: Int
        var generation: UInt64
    }

    private var entries: [Room: [Entry]] = [:]
    private var lastGeneration: UInt64 = 0

    package init() {}

    package var roomCount: Int { entries.count }

    /// - Returns: The generation of the new grant.
    package mutating func grant(_ room: Room, to loop: Int) -> UInt64 {
        lastGeneration += 1
        if let index = entries[room]?.firstIndex(where: { $0.loop == loop }) {
            entries[room]?[index].generation = lastGeneration
        } else {
            entries[room, default: []].append(Entry(loop: loop, generation: lastGeneration))
        }
        return lastGeneration
    }

    /// Ends a loop's interest in a room, unless the loop has since received a later grant.
    package mutating func release(_ room: Room, by loop: Int, generation: UInt64) {
        entries[room]?.removeAll { $0.loop == loop && $0.generation == generation }
        if entries[room]?.isEmpty ?? false { entries[room] = nil }
    }

    /// Calls `body` for each loop with listeners in a room, in the order in which the loops first gained interest.
    package func forEachLoop(in room: Room, _ body: (Int) -> Void) {
        for entry in entries[room] ?? [] { body(entry.loop) }
    }

    package func loops(in room: Room) -> [Int] { (entries[room] ?? []).map(\.loop) }
}
