import ChatModel

/// Which loops have a listener in which room, so that an event travels to those alone.
///
/// A loop gains interest with a *grant* and gives it back when its last listener left. A grant may be on its way
/// while the loop gives back an earlier one: the generation tells the two apart, and only the latest can be given
/// back.
package struct RoomInterest: Sendable {
    private struct Entry {
        let loop: Int
        var generation: UInt64
    }

    private var entries: [Room: [Entry]] = [:]
    private var lastGeneration: UInt64 = 0

    package init() {}

    package var roomCount: Int { entries.count }

    /// - Returns: The generation of the grant.
    package mutating func grant(_ room: Room, to loop: Int) -> UInt64 {
        lastGeneration += 1
        if let index = entries[room]?.firstIndex(where: { $0.loop == loop }) {
            entries[room]?[index].generation = lastGeneration
        } else {
            entries[room, default: []].append(Entry(loop: loop, generation: lastGeneration))
        }
        return lastGeneration
    }

    /// A loop has no listener left in a room, as of the last grant that it had seen.
    package mutating func release(_ room: Room, by loop: Int, generation: UInt64) {
        entries[room]?.removeAll { $0.loop == loop && $0.generation == generation }
        if entries[room]?.isEmpty ?? false { entries[room] = nil }
    }

    /// The loops that hear a room, in the order in which they came.
    package func forEachLoop(in room: Room, _ body: (Int) -> Void) {
        for entry in entries[room] ?? [] { body(entry.loop) }
    }

    package func loops(in room: Room) -> [Int] { (entries[room] ?? []).map(\.loop) }
}
