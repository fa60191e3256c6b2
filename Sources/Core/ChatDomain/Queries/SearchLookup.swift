import ChatModel
import SearchText

/// A channel's incarnation, as the search index knows it.
package struct SearchRoom: Hashable, Comparable, Sendable {
    package let id: ChannelID
    package let epoch: String

    package init(id: ChannelID, epoch: String) {
        self.id = id
        self.epoch = epoch
    }

    package static func < (a: Self, b: Self) -> Bool { (a.id, a.epoch) < (b.id, b.epoch) }
}

/// A question of a search to the index: where in some channels messages with certain words are.
package struct SearchLookup: Sendable {
    package struct Range: Sendable {
        package let room: SearchRoom
        /// Never empty.
        package let offsets: Swift.Range<UInt64>

        package init(room: SearchRoom, offsets: Swift.Range<UInt64>) {
            self.room = room
            self.offsets = offsets
        }
    }

    package let pattern: SearchPattern
    /// Each message has at least one fact of each list; see `SearchEntry.facts`.
    package let facts: [[String]]
    /// At most `SearchRun.rangesPerLookup`.
    package let ranges: [Range]
    /// The largest number of messages to name per range.
    package let limit: Int

    package init(pattern: SearchPattern, facts: [[String]], ranges: [Range], limit: Int) {
        self.pattern = pattern
        self.facts = facts
        self.ranges = ranges
        self.limit = limit
    }
}

/// The answer of the index. It may name messages that do not match, because the index is behind the chat and compares
/// less than the whole pattern.
package struct SearchFindings: Sendable {
    package struct Part: Sendable {
        /// Descending.
        package let offsets: [UInt64]
        /// Everything from this offset on was looked up.
        package let reached: UInt64
        /// Whether the index knows every acknowledged message of the channel.
        package let isKnown: Bool

        package init(offsets: [UInt64], reached: UInt64, isKnown: Bool) {
            self.offsets = offsets
            self.reached = reached
            self.isKnown = isKnown
        }
    }

    /// In the order of the ranges.
    package let parts: [Part]

    package init(parts: [Part]) { self.parts = parts }

    /// The answer of an index that knows nothing.
    package static func unknown(_ lookup: SearchLookup) -> SearchFindings {
        SearchFindings(
            parts: lookup.ranges.map { Part(offsets: [], reached: $0.offsets.lowerBound, isKnown: false) })
    }
}

extension ChatState {
    /// Answers a lookup from the texts themselves. For programs that keep no index, such as the simulator.
    package func scan(_ lookup: SearchLookup, _ work: WorkMeter) -> SearchFindings {
        let matcher = SearchMatcher(lookup.pattern)
        return SearchFindings(parts: lookup.ranges.map { scan($0, matcher, limit: lookup.limit, work) })
    }

    private func scan(
        _ range: SearchLookup.Range, _ matcher: SearchMatcher, limit: Int, _ work: WorkMeter
    ) -> SearchFindings.Part {
        var found: [UInt64] = []
        guard let channel = channels[range.room.id], channel.epoch == range.room.epoch else {
            return SearchFindings.Part(offsets: [], reached: range.offsets.lowerBound, isKnown: true)
        }
        let timeline = Timeline(channel: channel, selection: nil)
        let (low, high) = (
            timeline.firstPlace(fromOffset: range.offsets.lowerBound),
            timeline.firstPlace(fromOffset: range.offsets.upperBound)
        )
        for place in (low..<max(low, high)).reversed() {
            let message = timeline.message(at: place)
            work.charge(WorkCost.message)
            guard !message.isDeleted else { continue }
            work.charge(WorkCost.matching(message.text))
            guard matcher.match(in: message.text) != nil else { continue }
            found.append(message.offset)
            if found.count >= limit {
                return SearchFindings.Part(offsets: found, reached: message.offset, isKnown: true)
            }
        }
        return SearchFindings.Part(offsets: found, reached: range.offsets.lowerBound, isKnown: true)
    }
}

extension WorkCost {
    /// Dividing a text into words and comparing them with a pattern.
    static func matching(_ text: String) -> Int {
        let other = text.utf8.reduce(into: 0) { count, byte in if byte >= 0x80 { count += 1 } }
        return text.utf8.count * dividedByte + other * foldedByte
    }
}
