import ChatModel
import WireProtocol

/// A run of messages in time: a channel's, what stands in the channel itself, or the replies of one thread.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all of them.
    let selection: Places?

    /// How many messages one query looks at on each side before it answers with what it has: a filter that hardly
    /// ever matches must not hold up everyone else.
    static let scanLimit = 20_000

    var count: Int { selection?.count ?? channel.messages.count }

    func message(at place: Int) -> StoredMessage {
        channel.messages[selection.map { $0[place] } ?? place]
    }

    /// The first place whose message is not before the mark.
    private func firstPlace(where isNotBefore: (StoredMessage) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isNotBefore(message(at: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Where a message stands; empty where it would, but is not part of the selection.
    func places(of message: StoredMessage) -> Range<Int> {
        let place = firstPlace(fromOffset: message.offset)
        let isHere = place < count && self.message(at: place).offset == message.offset
        return place..<place + (isHere ? 1 : 0)
    }

    func firstPlace(fromOffset offset: UInt64) -> Int { firstPlace { $0.offset >= offset } }
    func firstPlace(fromTime time: Int64) -> Int { firstPlace { $0.createdAt >= time } }
    func firstPlace(afterTime time: Int64) -> Int { firstPlace { $0.createdAt > time } }

    struct Page {
        /// Ascending.
        var messages: [StoredMessage]
        var hasPrevious: Bool
        var hasNext: Bool
        /// The lowest place that was looked at and is done with; a next page lies below it.
        var oldestPlace: Int?
    }

    /// Where a query stands: everything in `anchor` belongs to neither side.
    struct Anchor {
        var places: Range<Int>
        var isInclusive: Bool
        /// Whether messages that share the edge's timestamp all come (`MS4`).
        var keepsTies: Bool
    }

    /// - Parameters:
    ///   - visible: Places that the reader may see.
    ///   - matches: The filter.
    func page(
        around anchor: Anchor, previous: Int, next: Int, visible: Range<Int>, _ matches: (StoredMessage) -> Bool
    ) -> Page {
        let before = visible.lowerBound..<max(visible.lowerBound, min(anchor.places.lowerBound, visible.upperBound))
        let after = min(visible.upperBound, max(anchor.places.upperBound, visible.lowerBound))..<visible.upperBound
        let older = collect(before.reversed(), previous, anchor.keepsTies, matches)
        let newer = collect(after, next, anchor.keepsTies, matches)
        let middle = anchor.isInclusive ? anchor.places.clamped(to: visible).map(message).filter(matches) : []
        return Page(
            messages: older.messages.reversed() + middle + newer.messages, hasPrevious: older.hasMore,
            hasNext: newer.hasMore, oldestPlace: older.lastPlace)
    }

    private func collect(
        _ places: some Sequence<Int>, _ wanted: Int, _ keepsTies: Bool, _ matches: (StoredMessage) -> Bool
    ) -> (messages: [StoredMessage], hasMore: Bool, lastPlace: Int?) {
        var found: [StoredMessage] = []
        var looked = 0
        var lastPlace: Int?
        for place in places {
            guard looked < Self.scanLimit else { return (found, true, lastPlace) }
            looked += 1
            let message = message(at: place)
            if matches(message) {
                if found.count >= wanted {
                    let isTie = keepsTies && wanted > 0 && found.last?.createdAt == message.createdAt
                    guard isTie else { return (found, true, lastPlace) }
                }
                found.append(message)
            }
            lastPlace = place
        }
        return (found, false, lastPlace)
    }
}
