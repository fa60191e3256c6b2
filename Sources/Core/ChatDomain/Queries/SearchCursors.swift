import ChatModel
import HeapModule

/// What is left of a channel in a search.
struct SearchCursor: Comparable {
    let channel: ChannelState
    /// The offsets that are not looked up yet, below those of `hits`; may be empty.
    private(set) var offsets: Range<UInt64>
    /// What the index found, newest first, and not examined yet.
    private(set) var hits: ArraySlice<UInt64> = []
    /// The place of the first hit or, without hits, that of the newest message that is not looked up yet.
    private(set) var place: SearchPlace

    /// - Returns: nil if there is nothing to search in the channel.
    init?(_ channel: ChannelState, below start: SearchPlace?, _ filter: SearchFilter, _ caller: Caller) {
        let timeline = Timeline(channel: channel, selection: nil)
        var low = timeline.firstPlace(fromOffset: channel.visibleFrom(caller))
        var end = timeline.count
        if let after = filter.after { low = max(low, timeline.firstPlace(fromTime: after)) }
        if let before = filter.before { end = min(end, timeline.firstPlace(fromTime: before)) }
        if let start {
            if channel.id == start.channel {
                // Messages of the channel have different offsets, but one may be missing.
                end = min(end, timeline.firstPlace(fromOffset: start.offset))
            } else {
                // Messages with the same time are ordered by channel id.
                end = min(
                    end,
                    channel.id < start.channel
                        ? timeline.firstPlace(afterTime: start.time) : timeline.firstPlace(fromTime: start.time))
            }
        }
        guard end > low else { return nil }
        self.channel = channel
        offsets = timeline.offset(at: low)..<timeline.offset(at: end - 1) + 1
        place = timeline.searchPlace(of: end - 1)
    }

    var range: SearchLookup.Range { SearchLookup.Range(room: channel.searchRoom, offsets: offsets) }

    /// - Returns: False if nothing is left of the channel.
    mutating func add(_ part: SearchFindings.Part) -> Bool {
        hits = part.offsets.filter(offsets.contains)[...]
        let reached = min(max(part.reached, offsets.lowerBound), offsets.upperBound)
        offsets = offsets.lowerBound..<min(reached, hits.last ?? reached)
        return findPlace()
    }

    /// - Returns: False if nothing is left of the channel.
    mutating func removeHit() -> Bool {
        hits = hits.dropFirst()
        return findPlace()
    }

    private mutating func findPlace() -> Bool {
        let timeline = Timeline(channel: channel, selection: nil)
        while let hit = hits.first {
            let index = timeline.firstPlace(fromOffset: hit)
            if index < timeline.count, timeline.offset(at: index) == hit {
                place = timeline.searchPlace(of: index)
                return true
            }
            // The index knows a message that the chat does not have.
            hits = hits.dropFirst()
        }
        guard !offsets.isEmpty else { return false }
        let end = timeline.firstPlace(fromOffset: offsets.upperBound)
        guard end > 0, timeline.offset(at: end - 1) >= offsets.lowerBound else { return false }
        place = timeline.searchPlace(of: end - 1)
        return true
    }

    static func < (a: Self, b: Self) -> Bool { a.place < b.place }
    static func == (a: Self, b: Self) -> Bool { a.place == b.place }
}

extension Timeline {
    fileprivate func searchPlace(of place: Int) -> SearchPlace {
        SearchPlace(time: createdAt(at: place), channel: channel.id, offset: offset(at: place))
    }
}

/// The channels of a search, in the order of what is left of them.
struct SearchCursors {
    private var heap: Heap<SearchCursor> = []
    /// Those that a lookup has been asked for, in its order.
    private var asked: [SearchCursor] = []

    /// The cursor with the newest place.
    var first: SearchCursor? { heap.max }

    mutating func insert(_ cursor: SearchCursor) { heap.insert(cursor) }

    mutating func removeHit() {
        guard var cursor = heap.popMax(), cursor.removeHit() else { return }
        heap.insert(cursor)
    }

    /// Returns the ranges to look up next: the first ones without hits.
    mutating func ranges(atMost limit: Int) -> [SearchLookup.Range] {
        while asked.count < limit, let cursor = heap.max, cursor.hits.isEmpty {
            heap.removeMax()
            asked.append(cursor)
        }
        return asked.map(\.range)
    }

    mutating func add(_ findings: SearchFindings) {
        for (var cursor, part) in zip(asked, findings.parts) where cursor.add(part) { heap.insert(cursor) }
        asked = []
    }
}
