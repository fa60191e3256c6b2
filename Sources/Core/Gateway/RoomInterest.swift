import ChatModel

/// Which loops have listeners in which room, so that an event goes only to those.
///
/// A loop gains interest with a *grant* and returns it when its last listener has left. A grant may be on its way while
/// the loop returns an earlier one. The generation tells them apart, and only the latest can be returned.
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

    /// Ends a loop's interest in a room, unless a later grant than the one it returns was given.
    package mutating func release(_ room: Room, by loop: Int, generation: UInt64) {
        entries[room]?.removeAll { $0.loop == loop && $0.generation == generation }
        if entries[room]?.isEmpty ?? false { entries[room] = nil }
    }

    /// The loops with listeners in a room, in order of arrival.
    package func forEachLoop(in room: Room, _ body: (Int) -> Void) {
        for entry in entries[room] ?? [] { body(entry.loop) }
    }

    package func loops(in room: Room) -> [Int] { (entries[room] ?? []).map(\.loop) }
}
